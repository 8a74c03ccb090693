"""docs/history.md describes what is written."""

import json
import re

from gin_env.core.state import Ending
from gin_env.history import read_line
from gin_env.history.hand import FIELDS, MAX_NAME, RESULT_FIELDS
from gin_env.history.lines import MAX_LINE
from gin_env.history.verify import check_hand
from tests import ROOT

PAGE = (ROOT / "docs" / "history.md").read_text("utf-8")
ROWS = re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE, re.MULTILINE)


def test_docs_describe_every_field_in_order() -> None:
    assert tuple(name for name, _ in ROWS) == FIELDS + RESULT_FIELDS


def test_docs_example_is_a_line_that_verifies() -> None:
    (example,) = re.findall(r"^```json\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    fields = json.loads(example)
    assert tuple(fields) == FIELDS
    assert tuple(fields["result"]) == RESULT_FIELDS
    check_hand(read_line(json.dumps(fields).encode()))


def test_docs_name_every_ending_and_the_limits() -> None:
    said = dict(ROWS)["ending"]
    endings = {ending.name.lower() for ending in Ending if ending != Ending.NONE}
    assert set(re.findall(r"`(\w+)`", said)) == endings
    assert f"{MAX_LINE:,} bytes" in PAGE
    assert f"1 to {MAX_NAME} printable" in PAGE
