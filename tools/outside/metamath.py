"""Check the proofs of real Metamath databases through the weights.

`python -m tools.outside.metamath` runs examples/programs/metamath.c on Debian's databases: quantum
logic whole, parts of set.mm, and a proof with one step changed. The verdict and the numbers of
axioms and theorems must be those of Debian's `metamath` program, and the output that of wasmtime.
Results go to docs/outside/metamath.json. Debian: apt install metamath metamath-databases
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from tools.outside.suite import ROOT, SuiteRow, save, through_the_weights
from transputer.frontends.c import compile_c
from transputer.oracle.command import run_command

DATABASES = Path("/usr/share/metamath/databases")
SOURCE = ROOT / "examples" / "programs" / "metamath.c"
MAX_STEPS = 4_000_000_000
_COMMENT = re.compile(r"\$\(\s.*?\s\$\)", re.DOTALL)


@dataclass
class Block:
    """A scope of a database: statements as text, and scopes within it."""

    items: list["str | Block"] = field(default_factory=list)


def before_heading(text: str, title: str) -> str:
    """Return the database up to the part with this title, without comments.

    A part begins with a comment. Debian's program reads some comments as include commands.
    """
    heading = re.search(rf"\$\(\s*#+\s*{re.escape(title)}\s*#+", text)
    if heading is None:
        raise ValueError(f"no part is called {title}")
    return _COMMENT.sub("", text[: heading.start()])


def parse(text: str) -> Block:
    """Return the statements of a database, without comments, in their scopes."""
    stack = [Block()]
    statement: list[str] = []
    for token in _COMMENT.sub(" ", text).split():
        if token == "${":
            stack.append(Block())
            stack[-2].items.append(stack[-1])
        elif token == "$}":
            stack.pop()
        else:
            statement.append(token)
            if token == "$.":
                stack[-1].items.append(" ".join(statement))
                statement = []
    return stack[0]


def _assertions(block: Block) -> Iterator[tuple[str, str]]:
    for item in block.items:
        if isinstance(item, Block):
            yield from _assertions(item)
        elif item.split(" ", 2)[1] in ("$a", "$p"):
            yield item.split(" ", 1)[0], item


def _cited(statement: str) -> list[str]:
    """Return the labels in a statement's proof; none for an axiom."""
    _, _, proof = statement.partition(" $= ")
    labels = proof.split()
    return labels[1 : labels.index(")")] if labels[:1] == ["("] else labels[:-1]


def needed(block: Block, label: str) -> set[str]:
    """Return the labels of all assertions that the proof of `label` rests on."""
    statements = dict(_assertions(block))
    todo, labels = [label], set[str]()
    while todo:
        label = todo.pop()
        if label in statements and label not in labels:
            labels.add(label)
            todo += _cited(statements[label])
    return labels


def _kept(block: Block, labels: set[str]) -> list[str]:
    lines: list[str] = []
    for item in block.items:
        if not isinstance(item, Block):
            label, kind, _ = item.split(" ", 2)
            if kind not in ("$a", "$p") or label in labels:
                lines.append(item)
        elif labels.intersection(name for name, _ in _assertions(item)):
            lines += ["${", *_kept(item, labels), "$}"]
    return lines


def proof_of(text: str, label: str) -> str:
    """Return a database with the theorem `label` and only the assertions that it rests on."""
    block = parse(text)
    return "\n".join(_kept(block, needed(block, label))) + "\n"


def change_a_step(text: str, label: str, old: str, new: str) -> str:
    """Return the database with one step of a compressed proof changed."""
    proof = re.search(rf"\n\s*{re.escape(label)} \$p.*?\$\.", text, re.DOTALL)
    if proof is None or proof[0].count(old) != 1:
        raise ValueError(f"{label} does not have {old} once")
    return text[: proof.start()] + proof[0].replace(old, new) + text[proof.end() :]


@dataclass(frozen=True)
class Verdict:
    """What Debian's program says of a database."""

    correct: bool
    axioms: int
    theorems: int


def by_debian(text: str) -> Verdict:
    """Return the verdict of Debian's `metamath`."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "database.mm").write_text(text, encoding="ascii")
        commands = ["read database.mm", "verify proof *", "exit"]
        done = subprocess.run(
            ["metamath", *commands], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
            encoding="latin-1", check=True,
        )  # fmt: skip
    counts = re.search(r"(\d+) are \$a and (\d+) are \$p", done.stdout)
    if counts is None:
        raise ValueError(f"metamath did not read the database: {done.stdout}")
    correct = "?Error" not in done.stdout and "All proofs in the database" in done.stdout
    return Verdict(correct, int(counts[1]), int(counts[2]))


def read(name: str) -> str:
    """Return a database of Debian's package."""
    return (DATABASES / name).read_text(encoding="ascii")


#: A theorem of ql.mm, a part of its proof, and the same part with another step.
CHANGE = ("oml", "ABFABGH", "ABFAAGH")
#: What is checked; the last must be rejected.
CASES: dict[str, Callable[[], str]] = {
    "ql.mm: quantum logic, whole": lambda: read("ql.mm"),
    "set.mm: part 1, first-order logic with equality": lambda: before_heading(
        read("set.mm"), "ZF (ZERMELO-FRAENKEL) SET THEORY"
    ),
    "set.mm: 2 + 2 = 4 (2p2e4) and all that it rests on": lambda: proof_of(read("set.mm"), "2p2e4"),
    "ql.mm with one step of a proof changed": lambda: change_a_step(read("ql.mm"), *CHANGE),
}


def check(name: str, text: str, binary: bytes) -> SuiteRow:
    """Check a database through the weights; the verdict must be Debian's and wasmtime's."""
    debian = by_debian(text)
    stdin = text.encode("ascii")
    expected = run_command(binary, ("program.wasm",), stdin, fuel=None)
    row = through_the_weights(name, binary, expected, stdin, MAX_STEPS)
    said = (expected.stdout + expected.stderr).decode().strip().replace("\n", "; ")
    row = replace(row, detail=said)
    counts = f"{debian.axioms} axioms, {debian.theorems} theorems, "
    same = said.startswith(counts) if debian.correct else expected.exit_code == 1
    if row.verdict == "right" and (not same or debian.correct != (expected.exit_code == 0)):
        return replace(row, verdict="wrong", why=f"Debian's metamath says {debian}")
    return row


def main() -> None:
    """Check every case; exit with 1 if a verdict is wrong."""
    parser = argparse.ArgumentParser(description="Check Metamath databases through the weights.")
    parser.add_argument("--write", metavar="DIR", help="only write the databases, to look at them")
    options = parser.parse_args()
    if not (shutil.which("metamath") and DATABASES.exists()):
        sys.exit("metamath: something is missing: apt-get install metamath metamath-databases")
    if options.write:
        for number, make in enumerate(CASES.values(), 1):
            Path(options.write, f"{number}.mm").write_text(make(), encoding="ascii")
        return
    binary = compile_c(SOURCE)
    rows = []
    for name, make in CASES.items():
        rows.append(check(name, make(), binary))
        print(rows[-1], flush=True)
        save("metamath", "Metamath", "python -m tools.outside.metamath", rows, {})
    sys.exit(any(row.verdict != "right" for row in rows))


if __name__ == "__main__":
    main()
