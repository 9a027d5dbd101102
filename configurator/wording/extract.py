"""Collects every English text for translators and writes the template; compiles finished translations.

``python -m configurator.wording.extract`` writes resources/translations/configurator.pot and compiles each .po there.
"""

from __future__ import annotations

import ast
import struct
from collections.abc import Iterator
from pathlib import Path

from configurator.paths import resource
from configurator.wording.core import COUNTED
from configurator.wording.texts.registry import FAMILIES

PACKAGE = Path(__file__).resolve().parents[1]
CALLS = frozenset({"_", "N_", "gettext", "tr"})
HEADER = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Content-Transfer-Encoding: 8bit\\n"\n'


def entries() -> Iterator[tuple[str, str, str]]:
    """(where, text, plural or ""): sentences by code, counted nouns, and literals of calls to gettext."""
    for table in FAMILIES.values():
        for code, text in table.items():
            for variant in text.variants():
                yield code, variant, ""
    for noun, (one, many) in COUNTED.items():
        yield f"counted {noun}", one, many
    for path in sorted(PACKAGE.rglob("*.py")):
        where = str(path.relative_to(PACKAGE.parent))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            literals = [
                each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)
            ]
            if name in CALLS and literals:
                yield where, literals[0], ""
            elif name == "ngettext" and len(literals) >= 2:
                yield where, literals[0], literals[1]


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def template() -> str:
    """The .pot file: every text once, with the places that say it."""
    places: dict[tuple[str, str], list[str]] = {}
    for where, text, plural in entries():
        if text:
            places.setdefault((text, plural), []).append(where)
    blocks = [HEADER]
    for (text, plural), found in sorted(places.items()):
        lines = [f"#: {where}" for where in dict.fromkeys(found)]
        lines.append(f"msgid {_quoted(text)}")
        if plural:
            lines += [f"msgid_plural {_quoted(plural)}", 'msgstr[0] ""', 'msgstr[1] ""']
        else:
            lines.append('msgstr ""')
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def parse(text: str) -> dict[str, str]:
    """Messages of a .po file; plural forms joined by NUL as gettext stores them. Untranslated ones are left out."""
    found: dict[str, str] = {}
    fields: dict[str, str] = {}
    current = ""
    for line in (*text.splitlines(), ""):
        line = line.strip()
        if line.startswith("#"):
            continue
        if not line or (line.startswith("msgid ") and "msgid" in fields):
            _keep(fields, found)
            fields, current = {}, ""
            if not line:
                continue
        if not line.startswith('"'):
            current, _, line = line.partition(" ")
            fields[current] = ""
        fields[current] += ast.literal_eval(line)
    return found


def _keep(fields: dict[str, str], found: dict[str, str]) -> None:
    if "msgid" not in fields:
        return
    key, value = fields["msgid"], fields.get("msgstr", "")
    if "msgid_plural" in fields:
        key += "\0" + fields["msgid_plural"]
        value = "\0".join(fields[name] for name in sorted(fields) if name.startswith("msgstr["))
    if value.strip("\0") or not key:
        found[key] = value


def compiled(messages: dict[str, str]) -> bytes:
    """The .mo file: two tables of lengths and offsets, sorted by key (GNU gettext format)."""
    keys = sorted(messages, key=lambda each: each.encode("utf-8"))
    ids, texts = [key.encode("utf-8") for key in keys], [messages[key].encode("utf-8") for key in keys]
    start = 28 + 16 * len(keys)
    tables: list[int] = []
    for group in (ids, texts):
        for each in group:
            tables += [len(each), start]
            start += len(each) + 1
    head = struct.pack("<7I", 0x950412DE, 0, len(keys), 28, 28 + 8 * len(keys), 0, 0)
    return head + struct.pack(f"<{len(tables)}I", *tables) + b"".join(each + b"\0" for each in (*ids, *texts))


def main() -> None:
    """Write the template and compile what is translated."""
    folder = resource("translations")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "configurator.pot").write_text(template(), encoding="utf-8")
    for source in sorted(folder.glob("*.po")):
        target = folder / source.stem / "LC_MESSAGES"
        target.mkdir(parents=True, exist_ok=True)
        (target / "configurator.mo").write_bytes(compiled(parse(source.read_text(encoding="utf-8"))))


if __name__ == "__main__":
    main()
