"""The pages of one site: the trace machine's first, the loom machine's beside it."""

from collections.abc import Callable
from typing import Any

from .test_loom import address, pytestmark  # noqa: F401  the same site

Page = Any


def test_the_pages_link_to_each_other(open_page: Callable[..., Page], address: str) -> None:  # noqa: F811
    page = open_page(address.removesuffix("loom/"))
    page.locator(".transport .note", has_text="native, as WebAssembly").wait_for()
    page.locator('[aria-label="Examples"]').select_option(label="Greatest common divisor.c")
    page.locator("#run").click()
    page.locator(".transport .note", has_text="returned 12").wait_for()
    page.locator(".now .what", has_text="gcd, line").wait_for()
    page.locator(".how input >> nth=1").fill("48 35")
    page.locator("#run").click()
    page.locator(".problems", has_text="Compiled ahead, with their arguments: ").wait_for()
    page.locator(".machines a", has_text="loom").click()
    page.locator("#compile").wait_for()
    page.locator(".machines a", has_text="trace").click()
    page.locator(".now .count b").wait_for()
