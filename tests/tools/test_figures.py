"""Figures come from result files: the pages agree with them, and nothing else states one."""

import json
import re

import pytest

from tools.figures import FIGURE, RESULTS, ROOT, UnknownFigure, filled, follow, pages, shown
from tools.figures import value_of as value

#: Pages whose measured figures must all be marked.
GUARDED = (
    "README.md docs/results.md docs/specialize.md docs/export.md docs/audit.md docs/fuzzing.md "
    "docs/spec-gaps.md docs/c-programs.md docs/debugging.md docs/index.md"
).split()
#: Numbers that are definitions (limits, formats, promises), not measurements.
DEFINITIONS = {
    *("65,536", "1,048,576", "50,000", "10,000,000", "1,000,000", "512 MiB", "4 GiB", "80 %"),
    *("5 %", "2 GB", "120 seconds", "8 MiB", "2 MiB", "4,194,304", "2,097,152", "500,000"),
    *("5,000,000", "32,768", "128 MiB", "4,096", "6,000", "95 %", "60 seconds"),
}
UNIT = r"(?:s|ms|µs|seconds|minutes|hours|%|KB|MB|GB|MiB|GiB|times)"
FIGURE_LIKE = re.compile(rf"\d{{1,3}}(?:,\d{{3}})+(?: {UNIT}\b)?|\b\d+(?:\.\d+)? ?{UNIT}(?!\w)")


def prose(text: str) -> str:
    """The text without code, figures and what links point to."""
    for pattern in (r"```.*?```", FIGURE.pattern, r"`[^`]*`", r"\]\([^)]*\)"):
        text = re.sub(pattern, " ", text, flags=re.DOTALL)
    return text


def unmarked(text: str) -> list[str]:
    return [found for found in FIGURE_LIKE.findall(prose(text)) if found not in DEFINITIONS]


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_page_says_what_the_results_say(page):
    _, problems = filled(page.read_text(encoding="utf-8"))
    assert problems == [], "run `make docs`"


@pytest.mark.parametrize("name", GUARDED)
def test_every_measured_figure_is_marked(name):
    assert unmarked((ROOT / name).read_text(encoding="utf-8")) == []


def test_every_result_says_where_it_comes_from():
    reported = json.loads((RESULTS / "reported.json").read_text(encoding="utf-8"))
    results = {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in RESULTS.glob("*.json")
        if path.name != "reported.json"
    }
    for name, result in (reported | results).items():
        assert all(result[key] for key in ("command", "commit", "machine")), name
        assert re.fullmatch(r"[0-9a-f]{7,}\+?", result["commit"]), name


def test_a_wrong_and_an_unknown_figure_are_reported():
    heads = value("sizes.heads")
    text = "a <!--=sizes.heads-->9<!--/--> b <!--=sizes.nothing-->1<!--/-->"
    new, problems = filled(text)
    assert new == f"a <!--=sizes.heads-->{heads}<!--/--> b <!--=sizes.nothing-->1<!--/-->"
    assert [problem.split(":")[0] for problem in problems] == ["sizes.heads", "sizes.nothing"]
    assert filled(new)[1] == problems[1:]


def test_values_of_reports_have_paths():
    assert value("benchmarks/programs#rows[program=sudoku,engine=native].size") == "10^7"
    report = {"rows": [{"a": 1, "b c": {"d": 2}}, {"a": 2, "b c": {"d": 3}}]}
    assert follow(report, "rows[a=2].b c.d") == 3
    assert follow(report, "rows[0].a") == 1
    for wrong in ("rows[a=5].a", "columns", "rows[0].z", "rows.a"):
        with pytest.raises(UnknownFigure):
            follow(report, wrong)


@pytest.mark.parametrize(
    "number, how, text",
    [
        (1234567, None, "1,234,567"),
        (0.25, None, "0.25"),
        (725227.4, "3s", "725,000"),
        (2.7171, "2s", "2.7"),
        (73.24, "%", "73.2 %"),
        (1.5, ".2f", "1.50"),
        ("text", None, "text"),
    ],
)
def test_formats(number, how, text):
    assert shown(number, how) == text


@pytest.mark.parametrize(
    "text, figures",
    [
        ("it takes 12.5 s, or 3 minutes", ["12.5 s", "3 minutes"]),
        ("12,345 steps and 99 % of them", ["12,345", "99 %"]),
        ("at most 65,536 calls; `1,234`; <!--=x-->1,234<!--/-->; 32-bit; 2^53", []),
        ("```\n1,234 s\n```", []),
    ],
)
def test_figures_without_a_mark_are_found(text, figures):
    assert unmarked(text) == figures
