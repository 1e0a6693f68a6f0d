"""The documentation site builds without a warning and needs nothing from elsewhere."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tools.figures import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("mkdocs") is None, reason="needs pip install '.[docs]'"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


def test_nothing_comes_from_elsewhere(site):
    for page in site.rglob("*.html"):
        loaded = re.findall(r'<(?:script|img|link)[^>]* (?:src|href)="([^"]*)"', page.read_text())
        assert [address for address in loaded if re.match(r"(https?:)?//", address)] == []


def test_the_public_names_are_in_the_reference(site):
    text = (site / "reference.html").read_text(encoding="utf-8")
    missing = [name for name in ("run", "compile", "trace", "debug", "Result", "Program")
               if f'id="transputer.{name}"' not in text]  # fmt: skip
    assert missing == []
