"""docs/benchmarks.md says what the JSON files say."""

from tools.bench_page import page, reports
from tools.figures import DOCS


def test_the_page_is_fresh():
    fresh = (DOCS / "benchmarks.md").read_text(encoding="utf-8") == page(reports())
    assert fresh, "docs/benchmarks.md is stale: run `make docs`"
