"""Writing the proposal in the background."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from configurator.desktop.worker import LatestWins

if TYPE_CHECKING:
    from configurator.desktop.desk import Desk


def export_proposal(desk: Desk, path: Path) -> None:
    """Write the PDF of the plan on the screen; a toast tells when it is there, or why not."""
    document = desk.document
    gettext = document.gettext
    project, catalogue, plan_id = document.project, document.catalogue, document.plan.id
    date = dt.datetime.now().astimezone().date()
    worker = LatestWins(desk.main)

    def write() -> Path:
        from configurator.proposal import write_proposal

        write_proposal(project, catalogue, path, plan_id=plan_id, date=date)
        return path

    def done(written: Path) -> None:
        worker.deleteLater()
        desk.toasts.offer(
            gettext("The proposal is in {file}").replace("{file}", written.name),
            gettext("Open"),
            lambda: open_in_system(written),
        )

    def failed(error: Exception) -> None:
        worker.deleteLater()
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        text = gettext("The proposal was not written to {file}: {reason}. Choose another place and try again.")
        desk.toasts.offer(text.replace("{file}", str(path)).replace("{reason}", reason), "", None, stay=True)

    desk.toasts.offer(gettext("Writing the proposal…"), "", None, stay=True)
    worker.submit(write, done, failed)


def open_in_system(path: Path) -> None:
    """Show a file with whatever the system uses for it."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
