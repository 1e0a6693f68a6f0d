"""The figures of docs/silicon.md are those of the last measurement."""

import json

from tools import silicon
from tools.figures import RESULTS


def test_the_table_is_that_of_the_results() -> None:
    result = json.loads((RESULTS / "silicon.json").read_text(encoding="utf-8"))
    assert silicon.page(result["values"]) == silicon.PAGE.read_text(encoding="utf-8")
    assert result["command"].startswith("python -m tools.silicon ")
    assert silicon.table(result["values"]).count("\n") == 3 + len(result["values"])
