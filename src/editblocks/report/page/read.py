"""Read a JSON result from outside, which has to fit `results.schema.json`."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

from jsonschema import Draft202012Validator

from editblocks.core.phrases import plural
from editblocks.core.settings import CEILINGS
from editblocks.report.escape import cut_end

MOST_BYTES = 64 * 1024 * 1024
_HOW_TO_MAKE = "make one with `editblocks check --format json --texts`"
_MOST_NAMED = 200  # characters of the place of a fault


class NotOurs(ValueError):
    """The text is not a result that this version can show. The message is for people."""


def looks_like_a_result(text: str) -> bool:
    """Whether a text is meant as a JSON result; no answer of a model begins like one."""
    return re.match(r"\ufeff?\s*\{\s*\"", text) is not None and '"schema_version"' in text


def read_result(data: bytes) -> dict[str, Any]:
    """Read the result in `data`. Raises `NotOurs`."""
    if len(data) > MOST_BYTES:
        raise NotOurs(f"is over the limit of {MOST_BYTES:,} bytes")
    try:
        result = json.loads(data.decode("utf-8-sig"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise NotOurs("is not JSON that can be read; make it again") from error
    if not isinstance(result, dict) or result.get("schema_version") is None:
        raise NotOurs(f"is not a result of editblocks; {_HOW_TO_MAKE}")
    version = result["schema_version"]
    if type(version) is not int or version != 1:
        raise NotOurs("was made by another version of editblocks; read it with that version")
    blocks = result.get("blocks")
    if isinstance(blocks, list) and len(blocks) > CEILINGS["max_blocks"]:
        most = CEILINGS["max_blocks"]
        raise NotOurs(f"has {plural(len(blocks), 'block')}, the limit is {most:,}")
    schema = json.loads(files("editblocks.report").joinpath("results.schema.json").read_text("utf-8"))
    fault = next(Draft202012Validator(schema).iter_errors(result), None)
    if fault is not None:
        place = cut_end(fault.json_path, _MOST_NAMED)
        if place == "$":
            place = "its top level"
        raise NotOurs(f"is not a result that editblocks wrote: {place} is not as the schema says; {_HOW_TO_MAKE}")
    return result


def _refuse(constant: str) -> None:
    """Refuse `NaN` and the like, which are not JSON."""
    raise ValueError(constant)
