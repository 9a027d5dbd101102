"""Every message code of the program has its text, and each text only asks for parameters that are given."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from configurator.terms import Message
from configurator.wording import TEXTS, Audience, Wording
from configurator.wording.texts.text import placeholders
from tests.wording.collect import Use, uses

USES = tuple(uses())


def texts_of(use: Use) -> list[str]:
    return [code for code in TEXTS if fnmatchcase(code, use.pattern)]


def test_the_walk_finds_the_codes_of_every_room() -> None:
    rooms = {use.where.split("/")[1] for use in USES}
    assert {"advice", "plan", "operations", "scaling"} <= rooms
    assert len(USES) > 200


@pytest.mark.parametrize("use", USES, ids=lambda use: f"{use.pattern} {use.where}")
def test_each_code_has_a_text_with_known_parameters(use: Use) -> None:
    found = texts_of(use)
    assert found, f"{use.pattern} used at {use.where} has no text"
    if use.params is None:
        return
    exact = {other.pattern for other in USES}
    for code in found:
        if "*" in use.pattern and code in exact:
            continue
        for sentence in TEXTS[code].variants():
            assert placeholders(sentence) <= use.params, f"{code} at {use.where}"


def test_no_text_of_advice_is_left_over() -> None:
    families = ("finding.", "do.", "step.", "reason.")
    used = [use.pattern for use in USES]
    for code in TEXTS:
        if code.startswith(families):
            assert any(fnmatchcase(code, pattern) for pattern in used), f"nobody says {code}"


@pytest.mark.parametrize("code", sorted(TEXTS))
def test_texts_read_well(code: str) -> None:
    audiences: tuple[Audience, ...] = ("owner", "operator")
    for audience in audiences:
        said = Wording(audience=audience).text(Message(code))
        assert said
        assert "  " not in said
        assert said == said.strip()
    sentence = TEXTS[code].owner
    if code.split(".", maxsplit=1)[0] in {"finding", "headline", "reason", "refusal", "place", "store"}:
        assert sentence[0].isupper() or sentence[0] in "{0123456789", code
        assert sentence.rstrip('"”')[-1] in ".?}", code
