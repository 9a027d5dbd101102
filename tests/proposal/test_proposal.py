"""The PDF holds the figures of the answer, prints every letter, and is a well-made file."""

from __future__ import annotations

import datetime as dt
import errno
import os
import re
from pathlib import Path

import pypdfium2
import pytest

from configurator.proposal import ProposalError, fonts, write
from configurator.proposal.sections.capacity import memory_fills
from configurator.proposal.style import MARGIN, PAGE_WIDTH
from configurator.wording import TEXTS
from tests.proposal import sample


@pytest.fixture(scope="module")
def content() -> bytes:
    return write.render(sample.material())


@pytest.fixture(scope="module")
def pages(content: bytes) -> list[str]:
    return [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(content)]


def squeezed(text: str) -> str:
    """Without spaces and line ends: where a line breaks is no matter of content."""
    return re.sub(r"\s+", "", text.replace("\ufffe", ""))


@pytest.fixture(scope="module")
def words(pages: list[str]) -> str:
    return squeezed("\n".join(pages))


def test_figures_are_those_of_the_assessment(words: str) -> None:
    material = sample.material()
    answer = material.assessment.workloads[0]
    assert answer.chosen is not None
    assert answer.chosen.speed is not None
    cost, speed = material.assessment.cost, answer.chosen.speed
    assert cost.per_million_tokens is not None
    expected = [
        material.range(answer.users_served),
        material.range(speed.output_tokens_per_s),
        material.around(speed.output_tokens_per_s),
        material.around(speed.output_tokens_per_s_per_user),
        material.around(speed.time_to_first_token_s),
        material.around(speed.prefill_tokens_per_s),
        material.range(material.sum_of_money(cost.purchase)),
        material.about_without_unit(cost.total_per_year),
        material.about_without_unit(cost.energy_per_year),
        material.about_without_unit(cost.per_million_tokens),
        material.range(cost.energy_kwh_per_year),
        material.wording.memory(answer.per_gpu[0].weights_bytes),
        material.wording.memory(answer.per_gpu[0].kv_cache_bytes),
        material.wording.memory(answer.per_gpu[0].free_bytes),
        material.wording.count(24576),
    ]
    missing = [each for each in expected if squeezed(each) not in words]
    assert not missing


def test_every_line_of_equipment_stands_with_its_price(words: str) -> None:
    material = sample.material()
    for line in material.assessment.cost.shopping:
        assert squeezed(line.name) in words
        assert line.total is not None
        assert squeezed(material.range(material.sum_of_money(line.total))) in words


def test_verdict_reasons_steps_and_findings_are_told(words: str) -> None:
    material = sample.material()
    answer = material.assessment.workloads[0]
    told = [material.assessment.verdict.headline, *material.assessment.verdict.reasons]
    told += [each.question for each in answer.steps] + [answer.steps[0].numbers]
    told += [each.text for each in material.assessment.findings]
    told += [each.text for each in answer.switch_points] + [each.question for each in answer.unknowns]
    missing = [material.text(each) for each in told if squeezed(material.text(each)) not in words]
    assert not missing
    assert squeezed(material.text(answer.steps[0].numbers)) in words
    assert squeezed("Prúd posilníme v máji.") in words
    assert squeezed("nvidia-smi topo -m") in words


def test_every_letter_is_printed(pages: list[str]) -> None:
    text = "\n".join(pages)
    assert "Ústav ťažkých výpočtov Ľ. Štúra, Žilina & Москва <s.r.o.>" in text.replace("\r\n", " ")
    for broken in "■\ufffd□":
        assert broken not in text


def test_page_numbers(pages: list[str]) -> None:
    assert 7 <= len(pages) <= 13
    for number, text in enumerate(pages[1:], 2):
        assert squeezed(f"Page {number} of {len(pages)}") in squeezed(text)


def test_contents_name_the_page_of_each_section(content: bytes, pages: list[str]) -> None:
    sections = [each for each in pypdfium2.PdfDocument(content).get_toc() if each.level == 0]
    listed = squeezed(pages[0])
    for each in sections:
        if each.get_title() != "Contents":
            page = each.get_dest().get_index() + 1
            assert squeezed(each.get_title()) in squeezed(pages[page - 1])
            assert re.search(re.escape(squeezed(each.get_title())) + rf"{page}(?!\d)", listed), each.get_title()


def test_outline_metadata_and_language(content: bytes) -> None:
    document = pypdfium2.PdfDocument(content)
    outline = list(document.get_toc())
    assert {each.level for each in outline} == {0, 1}
    titles = [each.get_title() for each in outline]
    assert titles[:2] == ["Contents", "Summary"]
    assert {"Memory and capacity", "Why this answer", "What it costs", "Sign-off"} <= set(titles)
    data = document.get_metadata_dict()
    assert data["Title"] == "Office assistant"
    assert data["Author"] == "Jana Čierna"
    assert "copies" in data["Subject"]
    assert data["CreationDate"].startswith("D:20261130000000")
    assert b"/Lang (en)" in content
    assert b"/DisplayDocTitle true" in content
    assert b"/Type /Metadata" in content


def test_links_lead_from_the_contents(content: bytes) -> None:
    sections = [each for each in pypdfium2.PdfDocument(content).get_toc() if each.level == 0]
    assert content.count(b"/Subtype /Link") >= len(sections) - 1


def test_all_faces_are_embedded_subsets(content: bytes) -> None:
    faces = re.findall(rb"/BaseFont /(\S+)", content)
    assert len(faces) >= 3
    assert all(re.fullmatch(rb"[A-Z]{6}\+.+", face) for face in faces), faces
    assert content.count(b"/FontFile2") == len(set(faces))


def test_same_input_gives_the_same_bytes(content: bytes) -> None:
    assert write.render(sample.material()) == content


def test_nothing_stands_outside_the_margins(content: bytes) -> None:
    for number, page in enumerate(pypdfium2.PdfDocument(content), 1):
        text = page.get_textpage()
        left = text.get_text_bounded(0, 0, MARGIN - 3, 842)
        right = text.get_text_bounded(PAGE_WIDTH - MARGIN + 3, 0, PAGE_WIDTH, 842)
        assert not left.strip(), f"page {number}: {left!r}"
        assert not right.strip(), f"page {number}: {right!r}"


def test_areas_differ_without_colour() -> None:
    fills = memory_fills(sample.material())
    hatches = [fill.hatch for fill in fills.values()]
    assert len(set(hatches)) == len(hatches)


def test_faces_know_every_letter_of_the_texts_and_the_catalogue() -> None:
    said = [sentence for text in TEXTS.values() for sentence in text.variants()]
    catalogue = sample.CATALOGUE
    said += [card.name for card in catalogue.gpus.values()]
    said += [machine.name for machine in catalogue.servers.values()]
    said += [model.name for model in catalogue.models.values()]
    said += [link.name for link in catalogue.links.values()]
    said += [part.name for part in catalogue.parts.values()]
    said += ["č ľ ť ň ď ž š ŕ ĺ ô ä Č Ľ Ť", "Подключение двух серверов щёъыэ", "€ × ≥ ≤ → ✓ ⚠ − ▲ ✕ ⁰¹²³⁴⁵⁶⁷⁸⁹"]
    unknown = {letter for each in said for letter in each if fonts.printable(letter) == fonts.UNPRINTABLE}
    assert not unknown


def test_a_letter_that_no_face_has_is_shown_as_such() -> None:
    assert fonts.printable("漢") == fonts.UNPRINTABLE
    assert dict(fonts.runs("a⚙", fonts.TEXT)) == {fonts.TEXT: "a", fonts.SYMBOLS: "⚙"}


def test_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "proposal.pdf"
    target.write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ProposalError, match="full"):
        write._put(b"new", target)
    assert target.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["proposal.pdf"]
    monkeypatch.undo()
    write._put(b"new", target)
    assert target.read_bytes() == b"new"


def test_a_target_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProposalError, match="there is no folder"):
        write._put(b"x", tmp_path / "nowhere" / "proposal.pdf")
    (tmp_path / "folder.pdf").mkdir()
    with pytest.raises(ProposalError, match="is a folder"):
        write._put(b"x", tmp_path / "folder.pdf")


def test_dates_are_written_as_people_do() -> None:
    material = sample.material()
    assert material.day(dt.date(2026, 1, 5)) == "5\u00a0January 2026"
    assert material.day_of("2026-11") == "November 2026"
    assert material.day_of("spring 2026") == "spring 2026"
