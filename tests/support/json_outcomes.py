"""An outcome of each kind by name, and the validator for JSON results."""

import json
from importlib.resources import files

import jsonschema_rs
from support import report_outcomes as outcomes

from editblocks.core.blocks import Note
from editblocks.core.codes import ReasonCode, State

SCHEMA = json.loads(files("editblocks.report").joinpath("results.schema.json").read_text(encoding="utf-8"))

VALIDATOR = jsonschema_rs.validator_for(SCHEMA)

OUTCOMES = {
    "failed": outcomes.mockup(),
    "checked": outcomes.fine(),
    "applied": outcomes.fine(state=State.APPLIED, commit=outcomes.COMMIT),
    "partly applied": outcomes.mockup(State.PARTIAL, commit=outcomes.COMMIT),
    "nothing left": outcomes.nothing_left(),
    "empty": outcomes.outcome(state=State.NOTHING),
    "a problem": outcomes.outcome(outcomes.problem(1), outcomes.applied(2, "a.py"), source=outcomes.FILE),
    "refused": outcomes.refused(ReasonCode.NOT_PERMITTED, "hubot has read access"),
    "stale": outcomes.outcome(outcomes.stale(1, "a.py")),
    "every strategy": outcomes.every_strategy(),
    "files that go and move": outcomes.moves(),
    "files that went and moved": outcomes.moves(State.APPLIED, outcomes.COMMIT),
    "no longer parsed": outcomes.outcome(
        outcomes.applied(1, "a.py")._replace(notes=(Note("no-longer-parses", "a.py parsed before, and does not now"),)),
        state=State.CHECKED,
    ),
}
