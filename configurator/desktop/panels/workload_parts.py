"""Parts of the workload panel: its head, its empty state, the entries of the model search, words about fields."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QMenu, QPushButton, QToolButton, QVBoxLayout, QWidget

from configurator.catalogue import Catalogue
from configurator.desktop import icons
from configurator.desktop.panels.workload_fields import FieldSpec, model_said
from configurator.desktop.theme import HALF, UNIT, theme
from configurator.desktop.widgets.inputs import Choice
from configurator.desktop.widgets.model_picker import Entry, ModelButton
from configurator.desktop.widgets.texts import label
from configurator.plan.model import Workload
from configurator.wording import Wording

LABEL_W = 124


class Head(QWidget):
    """Title that folds the fields, chooser of workloads, add, more."""

    folded = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.title = QToolButton()
        self.title.setProperty("role", "fold")
        self.title.setCheckable(True)
        self.title.setChecked(True)
        self.title.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.title.toggled.connect(self._fold)
        theme().changed.connect(self._arrow)
        self._arrow()
        self.chooser = Choice()
        self.add_button = _tool("add")
        self.menu_button = _tool("more")
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        self.duplicate = menu.addAction("")
        icons.bind(self.duplicate, "duplicate")
        self.remove = menu.addAction("")
        icons.bind(self.remove, "delete")
        self.menu_button.setMenu(menu)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(HALF)
        row.addWidget(self.title)
        row.addWidget(self.chooser, 1)
        row.addStretch(0)
        row.addWidget(self.add_button)
        row.addWidget(self.menu_button)

    @property
    def open(self) -> bool:
        return self.title.isChecked()

    def _fold(self, open_: bool) -> None:
        self._arrow()
        self.folded.emit(not open_)

    def _arrow(self) -> None:
        self.title.setIcon(icons.icon("chevron-down" if self.open else "chevron-right", "muted"))

    def retranslate(self, wording: Wording) -> None:
        _ = wording.gettext
        self.title.setText(_("Workload").upper())
        self.title.setAccessibleName(_("Fields of the workload"))
        self.title.setToolTip(_("Fold the fields: the answer gets their room"))
        self.add_button.setToolTip(_("Another workload on the same hardware"))
        self.add_button.setAccessibleName(_("Add a workload"))
        self.menu_button.setToolTip(_("More"))
        self.menu_button.setAccessibleName(_("More for this workload"))
        self.chooser.setAccessibleName(_("Workload"))
        self.duplicate.setText(_("Duplicate the workload"))
        self.remove.setText(_("Remove the workload"))


class Empty(QWidget):
    """What to do first while there is no workload."""

    def __init__(self) -> None:
        super().__init__()
        self.text = label("muted", wrap=True)
        self.start = QPushButton()
        self.start.setProperty("role", "primary")
        self.later = QPushButton()
        self.later.setProperty("role", "link")
        self.starter = ModelButton()
        self.starter.setVisible(False)
        self.start.clicked.connect(lambda: self.starter.card.open_at(self.start, None))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, UNIT)
        column.setSpacing(UNIT)
        column.addWidget(self.text)
        row = QHBoxLayout()
        row.addWidget(self.start)
        row.addWidget(self.later)
        row.addStretch(1)
        column.addLayout(row)
        column.addWidget(self.starter)

    def retranslate(self, wording: Wording) -> None:
        _ = wording.gettext
        self.text.setText(_("What should run on these cards? The answer starts with a model."))
        self.start.setText(_("Choose a model"))
        self.later.setText(_("I do not know yet"))
        self.starter.setAccessibleName(_("Model"))


def _tool(name: str) -> QToolButton:
    button = QToolButton()
    button.setProperty("role", "quiet")
    icons.bind(button, name, "muted")
    return button


def fill_models(buttons: tuple[ModelButton, ...], catalogue: Catalogue, wording: Wording) -> None:
    """All models of the catalogue into the search cards."""
    _ = wording.gettext
    entries = [Entry(None, _("Not chosen yet"), "", _("Not chosen yet").casefold())]
    for model in catalogue.models.values():
        words = f"{model.name} {model.hf_id} {model.family} {model.vendor} {model.nominal_size} {model.id}"
        entries.append(Entry(model.id, model.name, model_said(model, wording), words.casefold(), model.nominal_size))
    for button in buttons:
        card = button.card
        card.entries.set_entries(tuple(entries))
        card.search.setPlaceholderText(_("Search by name, maker or size"))
        card.search.setAccessibleName(_("Search models"))
        card.list.setAccessibleName(_("Models"))
        card.empty.setText(_("No model of that name is in the catalogue."))
        card.file.setText(_("Model from a file…"))
        card.file.setToolTip(_("Read a config.json, GGUF or safetensors file into your own catalogue"))


def grid_of() -> QGridLayout:
    grid = QGridLayout()
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(UNIT)
    grid.setVerticalSpacing(6)
    grid.setColumnMinimumWidth(0, LABEL_W)
    grid.setColumnStretch(1, 1)
    return grid


def brief_of(workload: Workload, catalogue: Catalogue, wording: Wording) -> str:
    """A workload in one line, for when its fields are folded."""
    _ = wording.gettext
    model = catalogue.models.get(workload.model or "")
    weights = catalogue.weight_formats.get(workload.weights)
    said = [model.name if model is not None else workload.model or _("no model chosen")]
    said.append(weights.name if weights is not None else workload.weights)
    said.append(wording.word(f"task.{workload.task}"))
    if workload.users is not None:
        said.append(wording.counted("users", workload.users))
    if workload.context_tokens is not None:
        said.append(_("{n} tokens each").replace("{n}", wording.count(workload.context_tokens)))
    return " · ".join(said)


def help_of(wording: Wording, term: str) -> str:
    if not term:
        return ""
    try:
        return wording.term(term).plain
    except KeyError:
        return ""


def range_said(spec: FieldSpec, wording: Wording) -> str:
    if spec.most == float("inf"):
        return wording.gettext("This must be {least} or more.").format(least=wording.number(spec.least))
    return wording.gettext("This must lie between {least} and {most}.").format(
        least=wording.number(spec.least), most=wording.number(spec.most)
    )
