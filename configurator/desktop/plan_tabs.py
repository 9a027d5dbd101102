"""The plan's variants as tabs in the toolbar: show, rename, duplicate, delete, add."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QTabBar, QToolButton, QWidget

from configurator.desktop.document import Document


class _Bar(QTabBar):
    renamed = Signal(int)

    def sizeHint(self) -> QSize:
        # Qt reserves room for tabs that are not there; the plus belongs right behind the last one.
        hint = super().sizeHint()
        return QSize(sum(self.tabSizeHint(index).width() for index in range(self.count())) + 4, hint.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), 120), super().minimumSizeHint().height())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.tabAt(event.position().toPoint())
        if index >= 0:
            self.renamed.emit(index)


class PlanTabs(QWidget):
    """One tab per variant and a plus."""

    rename_wanted = Signal(str)
    menu_wanted = Signal(str, QPoint)
    add_wanted = Signal(QPoint)

    def __init__(self, document: Document) -> None:
        super().__init__()
        self._document = document
        self._filling = False
        self.bar = _Bar()
        self.bar.setExpanding(False)
        self.bar.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.bar.setDrawBase(False)
        self.bar.setUsesScrollButtons(True)
        self.bar.setElideMode(Qt.TextElideMode.ElideRight)
        self.bar.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.add = QToolButton()
        self.add.setText("+")
        self.add.setProperty("role", "quiet")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(self.bar)
        row.addWidget(self.add)
        row.addStretch(1)
        self.bar.currentChanged.connect(self._chosen)
        self.bar.customContextMenuRequested.connect(self._menu)
        self.bar.renamed.connect(lambda index: self.rename_wanted.emit(self._id(index)))
        self.add.clicked.connect(lambda: self.add_wanted.emit(self.add.mapToGlobal(QPoint(0, self.add.height() + 4))))
        document.changed.connect(self.fill)
        document.wording_changed.connect(self.retranslate)
        self.retranslate()
        self.fill()

    def retranslate(self) -> None:
        gettext = self._document.gettext
        self.bar.setAccessibleName(gettext("Plans"))
        self.add.setAccessibleName(gettext("Add a plan"))
        self.add.setToolTip(gettext("Add a plan: a copy of this one, or an empty one"))

    def _id(self, index: int) -> str:
        return str(self.bar.tabData(index) or "")

    def fill(self) -> None:
        """Bring the tabs in line with the project, keeping those that stay."""
        plans = self._document.project.plans
        self._filling = True
        while self.bar.count() > len(plans):
            self.bar.removeTab(self.bar.count() - 1)
        while self.bar.count() < len(plans):
            self.bar.addTab("")
        for number, plan in enumerate(plans):
            text = plan.name.replace("&", "&&")
            if self.bar.tabText(number) != text:
                self.bar.setTabText(number, text)
                self.bar.setTabToolTip(number, plan.name)
            self.bar.setTabData(number, plan.id)
            if plan.id == self._document.plan.id:
                self.bar.setCurrentIndex(number)
        self._filling = False
        self.bar.updateGeometry()

    def _chosen(self, index: int) -> None:
        if not self._filling and index >= 0:
            self._document.show_plan(self._id(index))

    def _menu(self, at: QPoint) -> None:
        index = self.bar.tabAt(at)
        if index >= 0:
            self.bar.setCurrentIndex(index)
            self.menu_wanted.emit(self._id(index), self.bar.mapToGlobal(at))
