"""The lemmas in `proofs/`: complete, without axioms, and checked as they are."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "proofs"
FILES = sorted(FOLDER.glob("*.v"))


def test_nothing_is_admitted_or_assumed() -> None:
    assert {path.name for path in FILES} == {"bytes.v", "dictionary.v"}
    for path in FILES:
        code = re.sub(r"\(\*.*?\*\)", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not re.search(r"\b(Admitted|admit|Axiom|Parameter|Conjecture|Abort)\b", code)


def test_the_recorded_output_names_the_tool_and_no_axiom() -> None:
    record = (FOLDER / "checked.txt").read_text(encoding="utf-8")
    assert re.match(r"The Coq Proof Assistant, version \d+\.\d+", record)
    printed = sum(path.read_text(encoding="utf-8").count("Print Assumptions") for path in FILES)
    assert record.count("Closed under the global context") == printed


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("coqc") is None, reason="coqc is missing (Debian: apt install coq)"
)
def test_the_proof_assistant_accepts_the_lemmas(tmp_path: Path) -> None:
    for path in FILES:
        shutil.copy(path, tmp_path)
        subprocess.run(["coqc", path.name], cwd=tmp_path, check=True, capture_output=True)
