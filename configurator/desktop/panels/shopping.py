"""The equipment list as a table: what, how many, price, sum, date. A row selects its objects."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QSizePolicy, QTableWidget, QTableWidgetItem

from configurator.catalogue import Catalogue
from configurator.desktop.theme import font
from configurator.operations.results import ShoppingLine
from configurator.wording import Wording

ROW_H = 32


class ShoppingTable(QTableWidget):
    """As high as its rows."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__(0, 5)
        self._lines: tuple[ShoppingLine, ...] = ()
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_H)
        self.setShowGrid(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("role", "plain")
        self.setTabKeyNavigation(False)
        head = self.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        head.setHighlightSections(False)
        head.sectionResized.connect(self._fit)
        self.cellClicked.connect(self._clicked)
        self.cellActivated.connect(self._clicked)

    def show_lines(
        self, lines: Sequence[ShoppingLine], catalogue: Catalogue, wording: Wording, factor: float = 1.0
    ) -> None:
        """``factor`` 1.23 shows prices with 23 % VAT."""
        _ = wording.gettext
        self._lines = tuple(lines)
        money = wording.currency
        heads = (_("Item"), _("Number"), f"{_('Price of one')}, {money}", f"{_('Sum')}, {money}", _("Price of"))
        self.setAccessibleName(_("To buy"))
        self.horizontalHeader().setAccessibleName(_("Columns"))
        self.setRowCount(len(self._lines))
        for column in range(5):
            header = QTableWidgetItem(heads[column])
            side = Qt.AlignmentFlag.AlignLeft if column in {0, 4} else Qt.AlignmentFlag.AlignRight
            header.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
            self.setHorizontalHeaderItem(column, header)
        for row, line in enumerate(self._lines):
            owned = _("already owned")
            unit, total = (
                wording.estimate(each.scaled(factor, "")) if each is not None else _("not known")
                for each in (line.unit_price, line.total)
            )
            name = catalogue.gpus[line.item].name if line.item in catalogue.gpus else line.name
            said = (
                name,
                wording.count(line.quantity),
                owned if line.owned else unit,
                "–" if line.owned else total,
                "" if line.owned else line.price_date,
            )
            for column, text in enumerate(said):
                cell = QTableWidgetItem(text)
                cell.setToolTip(line.price_basis if column >= 2 and line.price_basis else text)
                if column not in {0, 4}:
                    cell.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                    cell.setFont(font(figures=True))
                self.setItem(row, column, cell)
        self._fit()

    def _fit(self) -> None:
        """All rows in sight, long names in several lines."""
        self.resizeRowsToContents()
        rows = 0
        for row in range(self.rowCount()):
            high = max(ROW_H, self.rowHeight(row) + 6)
            self.setRowHeight(row, high)
            rows += high
        self.setFixedHeight(self.horizontalHeader().sizeHint().height() + rows + 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._fit()

    def _clicked(self, row: int, _column: int) -> None:
        if 0 <= row < len(self._lines) and self._lines[row].subject_ids:
            self.chosen.emit(self._lines[row].subject_ids)
