"""Qt's own words (menus of text fields, file dialogs) in the language of the screen."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QTranslator

_installed: list[QTranslator] = []


def speak(language: str) -> None:
    """Switch Qt's own texts. What Qt has no translation for stays English; our own dialogs set their buttons."""
    application = QCoreApplication.instance()
    if application is None:
        return
    while _installed:
        application.removeTranslator(_installed.pop())
    if language == "en":
        return
    translator = QTranslator(application)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if translator.load(f"qtbase_{language}", folder):
        application.installTranslator(translator)
        _installed.append(translator)
