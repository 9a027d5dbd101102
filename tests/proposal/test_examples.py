"""Each example becomes a proposal whose figures are those of the same assessment, without a code shown as text."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from functools import cache

import pypdfium2
import pytest

from configurator.catalogue import load_catalogue
from configurator.plan.index import gpus
from configurator.plan.templates import TEMPLATES
from configurator.proposal import write
from configurator.proposal.material import Material
from configurator.proposal.sections.options import columns
from configurator.terms import Estimate

CATALOGUE = load_catalogue()
DATE = dt.date(2026, 11, 30)


@dataclass(frozen=True)
class Written:
    """A proposal with what it was made from."""

    material: Material
    pages: tuple[str, ...]
    headings: tuple[str, ...]

    @property
    def words(self) -> str:
        return squeezed("\n".join(self.pages))


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text.replace("\ufffe", ""))


@cache
def _write(template_id: str) -> Written:
    template = next(each for each in TEMPLATES if each.id == template_id)
    material = write.gather(template.build(CATALOGUE), CATALOGUE, None, DATE)
    document = pypdfium2.PdfDocument(write.render(material))
    pages = tuple(page.get_textpage().get_text_range() for page in document)
    return Written(material, pages, tuple(each.get_title() for each in document.get_toc()))


@pytest.fixture(params=[each.id for each in TEMPLATES])
def written(request: pytest.FixtureRequest) -> Written:
    return _write(request.param)


def test_figures_of_the_answer_are_in_the_text(written: Written) -> None:
    material = written.material
    cost = material.assessment.cost
    figures: list[Estimate] = [cost.purchase, cost.total_per_year]
    for answer in material.assessment.workloads:
        if answer.users_served is not None and answer.chosen is not None and answer.chosen.speed is not None:
            figures += [answer.users_served, answer.chosen.speed.output_tokens_per_s]
    for value in figures:
        told = material.sum_without_unit(value) if value.unit.startswith(cost.currency) else material.range(value)
        assert squeezed(told) in written.words
    assert squeezed(material.text(material.assessment.verdict.headline)) in written.words


def test_contents_stand_on_the_cover_and_the_summary_is_one_page(written: Written) -> None:
    assert "Contents" in written.pages[0]
    assert "Summary" in written.pages[1]
    assert "Options compared" in written.pages[1] + written.pages[2]


def test_pages_are_filled_and_headings_are_followed(written: Written) -> None:
    assert 8 <= len(written.pages) <= 13
    headings = {squeezed(title) for title in written.headings}
    for number, page in enumerate(written.pages[2:], 3):
        lines = [line for line in page.splitlines() if line.strip()]
        *body, _ = [line for line in lines if not re.search(r"Page \d+ of", line)] + [""]
        assert len(body) >= 8, f"page {number} holds almost nothing"
        assert squeezed(body[-1]) not in headings, f"{body[-1]!r} is left alone at the foot of page {number}"


def test_the_first_step_is_the_first_of_the_next_steps(written: Written) -> None:
    first, *rest = written.material.todo.tasks
    told = squeezed(written.material.task(first))
    assert told in squeezed(written.pages[1])
    assert written.words.count(told) == 2
    assert all(squeezed(written.material.task(each)) in written.words for each in rest)


def test_no_chapter_is_named_that_is_not_there(written: Written) -> None:
    headings = {squeezed(title) for title in written.headings}
    for named in re.findall(r"“([^”]+)”", " ".join(" ".join(page.split()) for page in written.pages[1:])):
        if named[:1].isupper() and squeezed(named) not in {"Known", "Assumed", "Unknown"}:
            assert squeezed(named) in headings, named


def test_options_that_cost_nothing_and_work_stand_first(written: Written) -> None:
    shown = [
        each for each in columns(written.material)[1:] if each.verdict is not None and each.verdict.light == "good"
    ]
    same_model = [each for each in shown if each.code != "smaller_model"]
    prices = [each.purchase.expected if each.purchase is not None else 0.0 for each in same_model]
    assert prices == sorted(prices)


def test_grammar_of_counted_words(written: Written) -> None:
    text = " ".join(" ".join(page.split()) for page in written.pages)
    wrong = r"\b1 (requests|users|cards|servers|copies|GPUs|nodes|stages)\b|[Aa]ll 1 |\(0 GB\)|1 GPU give|user\.:"
    assert not re.findall(wrong, text.replace("\u202f", " ").replace("\u00a0", " "))


def test_the_title_stands_once_on_a_page_of_details(written: Written) -> None:
    title = squeezed(written.material.title)
    if len(title) > 12:
        for page in written.pages[2:]:
            assert squeezed(page).count(title) <= 2


def test_what_does_not_start_is_neither_tried_nor_ordered() -> None:
    words = _write("two-homes").words
    assert squeezed("Then make this proposal anew") in words
    for absent in ("Pilot and acceptance", "Ask for binding offers", "Decide while"):
        assert squeezed(absent) not in words


def test_no_code_or_placeholder_is_shown(written: Written) -> None:
    text = "\n".join(written.pages)
    for pattern in (
        r"\{\w+\}",
        r"\b(finding|do|verdict|headline|reason|step|fit|kind|work|pilot|assume|limited|failure)\.[a-z_]+\b(?!\w)",
        r"\bNone\b|\bnan\b|\binf\b|Estimate\(|Message\(",
        "\ufffd",
    ):
        assert not re.findall(pattern, text), pattern


def test_machines_apart_are_not_added_up() -> None:
    written = _write("two-homes")
    assert squeezed("does not add up") in written.words
    cards = [CATALOGUE.gpus[gpu.gpu] for _, _, _, gpu in gpus(written.material.plan)]
    assert len(cards) == 2
    together = written.material.wording.memory(sum(card.memory_usable_bytes for card in cards))
    # It may be named, but only to say that it is no capacity.
    assert written.words.count(squeezed(together)) == written.words.count(squeezed(f"The sum of {together}"))


def test_the_class_of_a_line_is_named_and_a_refused_layout_says_its_cards() -> None:
    words = _write("two-homes").words
    assert words.count(squeezed(CATALOGUE.internet["home-ftth-1g"].name)) >= 2
    assert squeezed("62.5 MB/s") in words
    assert squeezed("of the model on 2") in words
    assert squeezed("on 0 GPUs") not in words
