"""What the catalogue could not do, as a message with exact parameters and as an English sentence for logs."""

from __future__ import annotations

from dataclasses import dataclass

from configurator.terms import Message, message


@dataclass(frozen=True, slots=True)
class CatalogueProblem:
    """A row of the owner's own file that was left out.

    ``mend`` says what to write instead: an English message id with places for ``values``, so that wording can
    translate it.
    """

    file: str
    record: str
    field: str
    mend: str
    values: tuple[tuple[str, str], ...] = ()

    @property
    def advice(self) -> str:
        """The English sentence."""
        return self.mend.format(**dict(self.values)) if self.values else self.mend

    @property
    def message(self) -> Message:
        """For wording: code catalogue.bad_row with file, record, field and the English mend."""
        return message("catalogue.bad_row", file=self.file, record=self.record, field=self.field, mend=self.advice)

    def __str__(self) -> str:
        where = ", ".join(part for part in (self.record, self.field) if part)
        return f"{self.file}: {where}: {self.advice}" if where else f"{self.file}: {self.advice}"


class UnknownNameError(LookupError):
    """A name that the catalogue does not know. ``nearest`` lists what may have been meant (ids)."""

    def __init__(self, kind: str, text: str, nearest: tuple[str, ...]) -> None:
        self.kind = kind
        self.text = text
        self.nearest = nearest
        hint = f" Nearest: {', '.join(nearest)}." if nearest else ""
        super().__init__(f"The catalogue has no {kind} called “{text}”.{hint}")

    @property
    def message(self) -> Message:
        """For wording: code catalogue.unknown_name with kind, name and the nearest names."""
        return message("catalogue.unknown_name", kind=self.kind, name=self.text, nearest=self.nearest)


UnknownName = UnknownNameError
