"""Findings, verdicts, labels, numbers and money as text in a language, for an owner or an operator. No Qt."""

from configurator.wording.core import COUNTED, Audience, Language, Term, Wording
from configurator.wording.names import named
from configurator.wording.texts.registry import TEXTS

__all__ = ["COUNTED", "TEXTS", "Audience", "Language", "Term", "Wording", "named"]
