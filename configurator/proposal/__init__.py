"""The PDF that an owner signs: one assessment, told from the question to the next steps.

reportlab is loaded by the first export, not with the program.
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from configurator.assess import Assessment
    from configurator.catalogue import Catalogue
    from configurator.plan.model import Project
    from configurator.wording import Wording

__all__ = ["ProposalError", "write_proposal"]


class ProposalError(Exception):
    """The proposal could not be written; the text says why and what to do, for a person."""


def write_proposal(
    project: Project,
    catalogue: Catalogue,
    path: Path,
    *,
    plan_id: str | None = None,
    date: dt.date,
    assessment: Assessment | None = None,
    wording: Wording | None = None,
) -> None:
    """Write the proposal of one plan of ``project`` to ``path``, whole or not at all.

    ``plan_id``: the plan that is proposed, the one last shown by default. ``date`` stands on the cover; the same
    input gives the same bytes. ``assessment``: the answer at hand, else it is computed. Raises ProposalError when the
    file cannot be written.
    """
    from configurator.proposal.write import write

    write(project, catalogue, path, plan_id, date, assessment, wording)
