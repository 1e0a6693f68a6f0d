"""docs/benchmarks.md says what the JSON files say."""

import json

from tools.bench_page import REPORTS, page
from tools.figures import DOCS


def test_the_page_is_fresh():
    reports = [json.loads((DOCS / "benchmarks" / f"{name}.json").read_text()) for name in REPORTS]
    fresh = (DOCS / "benchmarks.md").read_text(encoding="utf-8") == page(*reports)
    assert fresh, "docs/benchmarks.md is stale: run `make docs`"
