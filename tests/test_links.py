"""Every link and every citation of a page leads somewhere."""

import re

import pytest

from tools.site import OUTSIDE, ROOT, linked, relinked

PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")), *(ROOT / path for path in OUTSIDE)]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
#: A page named in code, a comment or a text.
CITED = re.compile(r"\b(?:docs/[\w-]+\.md|(?:ARCHITECTURE|CONTRIBUTING|CHANGELOG|SECURITY)\.md)\b")
SOURCES = ("src", "tests", "tools", "training", "examples", "docs")


def without_code(text):
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return re.sub(r"`[^`\n]*`", lambda code: "x" * len(code[0]), text)


def anchors(text):
    """The anchors of a page's headings, as GitHub and the site make them."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    titles = re.findall(r"^#+ +(.*)$", text, re.MULTILINE)
    names = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).lower() for title in titles)
    return {re.sub(r"[^\w\- ]", "", name).strip().replace(" ", "-") for name in names}


def broken(page, text):
    """The links of a page that lead nowhere."""
    for link in LINK.findall(without_code(text)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if (
            not target.exists()
            or anchor
            and target.suffix == ".md"
            and anchor not in anchors(target.read_text())
        ):
            yield link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    assert list(broken(page, page.read_text(encoding="utf-8"))) == []


def test_broken_links_are_found():
    page = ROOT / "docs" / "design.md"
    text = "# A b\n[x](nothing.md) [y](audit.md#no) [z](#no) ![p](img/no.png) [w](audit.md)"
    assert list(broken(page, text)) == ["nothing.md", "audit.md#no", "#no", "img/no.png"]
    assert anchors("## 1. Words, `run --json`\n```\n# no\n```") == {"1-words-run---json"}


def test_cited_pages_exist():
    missing = [
        f"{path.relative_to(ROOT)}: {cited}"
        for folder in SOURCES
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".md", ".c", ".h", ".wat") and path.name != "test_links.py"
        for cited in CITED.findall(path.read_text(encoding="utf-8"))
        if not (ROOT / cited).exists()
    ]
    assert missing == []


def test_files_that_a_page_links_to():
    text = "[a](b.md#c) [d](../examples/e.py) [f](https://g.h/) [i](#j)"
    assert linked(text, "docs/x.md") == {"docs/b.md", "examples/e.py"}


@pytest.mark.parametrize(
    "path, text, site",
    [
        ("docs/design.md", "[a](../ARCHITECTURE.md#x)", "[a](ARCHITECTURE.md#x)"),
        ("docs/torch.md", "[a](../examples/embed/README.md)", "[a](examples/embed/README.md)"),
        ("ARCHITECTURE.md", "[a](docs/design.md#1-words)", "[a](design.md#1-words)"),
        ("examples/embed/README.md", "[a](../../docs/torch.md)", "[a](../../torch.md)"),
        ("docs/loom.md", "[a](benchmarks/loom.json) [b](https://x.org/)", None),
    ],
)
def test_links_on_the_site(path, text, site):
    assert relinked(text, path) == (site or text)
