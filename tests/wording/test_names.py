"""Whatever an answer is about has a name a person knows; ids stay inside."""

from __future__ import annotations

import pytest

from configurator.assess import assess
from configurator.catalogue import load_catalogue
from configurator.plan.templates import TEMPLATES, Template
from configurator.wording import Wording
from configurator.wording.names import named


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.id)
def test_failures_name_their_objects(template: Template) -> None:
    catalogue = load_catalogue()
    project = template.build(catalogue)
    plan = project.plans[0]
    wording = named(Wording(), plan, catalogue)
    known = dict(wording.names)
    for workload in assess(project, catalogue).workloads:
        for effect in workload.failures:
            assert effect.object_id in known, effect.object_id
            assert effect.object_id not in wording.text(effect.note).replace(known[effect.object_id], "")
