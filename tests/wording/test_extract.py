"""Texts reach translators and come back through the standard library's gettext."""

from __future__ import annotations

import io
from gettext import GNUTranslations

from configurator.wording import TEXTS
from configurator.wording.extract import compiled, entries, parse, template

PO = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n>=2 && n<=4 ? 1 : 2);\\n"

#: headline.one_node
msgid "One node is enough."
msgstr "Stačí jeden uzol."

msgid "{n} card"
msgid_plural "{n} cards"
msgstr[0] "{n} karta"
msgstr[1] "{n} karty"
msgstr[2] "{n} kariet"

msgid "not yet"
msgstr ""
"""


def test_every_text_is_in_the_template_once() -> None:
    said = template()
    for code, text in TEXTS.items():
        assert f"#: {code}\n" in said
        assert text.owner.split('"')[0][:40] in said
    ids = [line for line in said.splitlines() if line.startswith("msgid ")]
    singles = [text for _, text, plural in entries() if not plural]
    assert len(set(singles)) <= len(ids)


def test_a_translation_comes_back_with_its_plurals() -> None:
    book = GNUTranslations(io.BytesIO(compiled(parse(PO))))
    assert book.gettext("One node is enough.") == "Stačí jeden uzol."
    assert [book.ngettext("{n} card", "{n} cards", count) for count in (1, 3, 7)] == [
        "{n} karta",
        "{n} karty",
        "{n} kariet",
    ]
    assert book.gettext("not yet") == "not yet"
