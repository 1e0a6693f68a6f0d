"""The loom machine's page on WebGPU, by Chromium's software adapter: correctness, not speed.

A step of the dense ONNX file takes seconds there, so the page gets a small configuration and
programs of a few steps. The tests are skipped where the browser has no WebGPU adapter.
"""

import json
import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.conftest import CHROMIUM_FLAGS
from transputer.engines.reference.looped import LoopedReference
from transputer.exporters.loom_page import write_model
from transputer.frontends.smallc import compile
from transputer.frontends.smallc.loom.plain import plain
from transputer.ir.loom import configuration
from transputer.isa.loom import LOOM
from transputer.machines.loom.circuit import model
from transputer.machines.loom.host import initial

from .test_loom import SITE, Page, pytestmark, ready, served, states  # noqa: F401  the same site

CONFIG = "64x8,m=16"
GCD = """int a = 12, b = 8;
int main(void) {
    while (a != b)
        if (a > b) a -= b;
        else b -= a;
    return a;
}
"""
POINTERS = """int a[3] = {3, 1, 2};
int main(void) {
    int *p = a;
    swap(p[0], p[1]);
    p[2] ^= 7;
    return p[0] + p[2];
}
"""
OUTPUT = """int main(void) {
    putchar('h');
    putchar('i');
    return 42;
}
"""
#: Programs under names of examples, which the page knows; gcc's answers; what they print.
PROGRAMS = {"gcd.c": (GCD, 4, ""), "bubble.c": (POINTERS, 6, ""), "hello.c": (OUTPUT, 42, "hi")}
FLAGS = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"]
#: Milliseconds in which a step must end, on a busy machine.
STEP_PATIENCE = 120_000
ADAPTER = "async () => Boolean(await navigator.gpu?.requestAdapter())"


@pytest.fixture(scope="module")
def webgpu(chromium: Any) -> Iterator[Any]:
    """A Chromium whose WebGPU computes on the CPU."""
    browser = chromium.browser_type.launch(
        executable_path=shutil.which("chromium") or shutil.which("chromium-browser"),
        args=[flag for flag in CHROMIUM_FLAGS if flag != "--disable-gpu"] + FLAGS,
    )
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The built page with one small configuration and short programs."""
    folder = tmp_path_factory.mktemp("webgpu")
    shutil.copytree(
        SITE / "loom", folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("data", "pyodide")
    )
    data = folder / "data"
    data.mkdir()
    for wasm in (SITE / "loom" / "data").glob("*.wasm"):
        shutil.copy(wasm, data)
    machine = {
        "configs": {CONFIG: write_model(data, configuration(CONFIG), "0")},
        "operations": {op.name: op.doc for op in LOOM},
    }
    (data / "machine.json").write_text(json.dumps(machine))
    programs = {
        name: {"text": text, "bits": 8, **plain(text, 8, [CONFIG])}
        for name, (text, _, _) in PROGRAMS.items()
    }
    (data / "programs.json").write_text(json.dumps(programs))
    with served(folder) as root:
        yield root


@pytest.fixture
def page(webgpu: Any, site: str) -> Iterator[Page]:
    """A page on this browser; tests skip where it has no adapter."""
    wrong: list[str] = []
    page = webgpu.new_page()
    page.set_default_timeout(STEP_PATIENCE)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
    page.goto(site)
    if not page.evaluate(ADAPTER):
        pytest.skip("WebGPU: this Chromium has no adapter, not even its software adapter")
    yield page
    page.close()
    assert not wrong


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_step_on_webgpu_is_the_references(page: Page, site: str, name: str) -> None:
    text, answer, output = PROGRAMS[name]
    program, config = compile(text, bits=8), configuration(CONFIG)
    page.goto(f"{site}#{name.removesuffix('.c')}")
    page.reload()
    ready(page)
    page.locator("#engine").select_option("webgpu")
    page.locator(".transport .note", has_text="ready").wait_for()
    reference = LoopedReference(model(config), initial(program, config))
    for number in range(1, 100):
        page.locator("#step").click()
        page.wait_for_function(f"() => loom.seen.value.steps === {number}")
        reference.step()
        assert np.array_equal(states(page), reference.state), f"step {number}"
        if reference.halted:
            break
    assert page.evaluate("() => [loom.seen.value.halted, loom.seen.value.output]") == [True, output]
    assert page.locator(".stage .end").inner_text() == f"returned {answer}"
