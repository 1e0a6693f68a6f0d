"""Hacker's Delight P1 to P25: `python -m tools.learning.hackers` writes their result file.

The specifications are those of the published benchmark (Gulwani, Jha, Tiwari and Venkatesan,
*Synthesis of loop-free programs*, 2011), as SyGuS definitions over words of 32 bits. Every method
has 60 processor seconds on the same cores.
"""

import argparse
import json
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

from tools.learning.sections import DOCS
from transputer.learning.learner import learn

_BITS = " ".join(f"(bvand (bvlshr x (_ bv{k} 32)) one)" for k in range(32))
_HEAD = f"""(define-fun one () (BitVec 32) #x00000001)
(define-fun flag ((b Bool)) (BitVec 32) (ite b #x00000001 #x00000000))
(define-fun smear ((x (BitVec 32))) (BitVec 32)
  (let ((a (bvor x (bvlshr x #x00000001))))
  (let ((b (bvor a (bvlshr a #x00000002))))
  (let ((c (bvor b (bvlshr b #x00000004))))
  (let ((d (bvor c (bvlshr c #x00000008))))
  (bvor d (bvlshr d #x00000010)))))))
(define-fun ones ((x (BitVec 32))) (BitVec 32)
  (let ((a (bvsub x (bvand (bvlshr x #x00000001) #x55555555))))
  (let ((b (bvadd (bvand a #x33333333) (bvand (bvlshr a #x00000002) #x33333333))))
  (let ((c (bvand (bvadd b (bvlshr b #x00000004)) #x0f0f0f0f)))
  (let ((d (bvadd c (bvlshr c #x00000008))))
  (bvand (bvadd d (bvlshr d #x00000010)) #x0000003f))))))
(define-fun count ((x (BitVec 32))) (BitVec 32) (bvadd {_BITS}))
(define-fun nlz ((x (BitVec 32))) (BitVec 32) (ones (bvnot (smear x))))
"""
#: What each is, its parameters, and its definition.
PROBLEMS: dict[int, tuple[str, str, str]] = {
    1: ("turn off the rightmost 1 bit", "x", "(bvand x (bvsub x one))"),
    2: ("test for 2^n - 1", "x", "(bvand x (bvadd x one))"),
    3: ("isolate the rightmost 1 bit", "x", "(bvand x (bvneg x))"),
    4: ("mask of the rightmost 1 bit and trailing 0 bits", "x", "(bvxor x (bvsub x one))"),
    5: ("propagate the rightmost 1 bit to the right", "x", "(bvor x (bvsub x one))"),
    6: ("turn on the rightmost 0 bit", "x", "(bvor x (bvadd x one))"),
    7: ("isolate the rightmost 0 bit", "x", "(bvand (bvnot x) (bvadd x one))"),
    8: ("mask of the trailing 0 bits", "x", "(bvand (bvsub x one) (bvnot x))"),
    9: ("absolute value", "x", "(ite (bvslt x #x00000000) (bvneg x) x)"),
    10: ("nlz(x) = nlz(y)", "x y", "(flag (= (nlz x) (nlz y)))"),
    11: ("nlz(x) < nlz(y)", "x y", "(flag (bvult (nlz x) (nlz y)))"),
    12: ("nlz(x) <= nlz(y)", "x y", "(flag (bvule (nlz x) (nlz y)))"),
    13: ("sign", "x", "(ite (= x #x00000000) x (ite (bvslt x #x00000000) #xffffffff one))"),
    14: ("floor of the average", "x y",
         "((_ extract 32 1) (bvadd ((_ zero_extend 1) x) ((_ zero_extend 1) y)))"),
    15: ("ceiling of the average", "x y",
         "((_ extract 32 1) (bvadd ((_ zero_extend 1) x) ((_ zero_extend 1) y) (_ bv1 33)))"),
    16: ("maximum", "x y", "(ite (bvsle x y) y x)"),
    17: ("turn off the rightmost string of 1 bits", "x",
         "(bvand (bvadd (bvor x (bvsub x one)) one) x)"),
    18: ("test for a power of 2", "x", "(flag (= (count x) one))"),
    19: ("exchange two fields", "x m k",
         "(let ((t (bvand (bvxor (bvlshr x (bvand k #x0000001f)) x) m)))"
         " (bvxor (bvxor x (bvshl t (bvand k #x0000001f))) t))"),
    20: ("next larger number with as many 1 bits", "x",
         "(let ((s (bvand x (bvneg x)))) (let ((r (bvadd x s)))"
         " (bvor r (bvudiv (bvlshr (bvxor x r) #x00000002) s))))"),
    21: ("cycle through three values", "x a b c", "(ite (= x a) b (ite (= x c) a c))"),
    22: ("parity", "x", "(bvand (ones x) one)"),
    23: ("count the 1 bits", "x", "(count x)"),
    24: ("round up to a power of 2", "x", "(bvadd (smear (bvsub x one)) one)"),
    25: ("high word of the product", "x y",
         "((_ extract 63 32) (bvmul ((_ zero_extend 32) x) ((_ zero_extend 32) y)))"),
}  # fmt: skip
#: The portfolios that are compared.
METHODS = {
    "portfolio": ("enumeration", "loops", "annealing", "cvc5"),
    "without cvc5": ("enumeration", "loops", "annealing"),
    "enumeration": ("enumeration",),
    "cvc5 alone": ("cvc5",),
}
SECONDS = 60.0
#: Processor seconds of the first seed below which a problem is measured with other seeds, too.
CHEAP = 10.0


def source(number: int) -> str:
    """A problem as a SyGuS file."""
    doc, names, body = PROBLEMS[number]
    parameters = " ".join(f"({name} (BitVec 32))" for name in names.split())
    variables = "\n".join(f"(declare-var {name} (BitVec 32))" for name in names.split())
    return (
        f"; P{number}: {doc}\n(set-logic BV)\n{_HEAD}"
        f"(synth-fun f ({parameters}) (BitVec 32))\n{variables}\n"
        f"(constraint (= (f {names}) {body}))\n(check-synth)\n"
    )


def measured(number: int, members: tuple[str, ...], seed: int = 0) -> dict[str, Any]:
    """What some members of the portfolio make of a problem within the budget."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"p{number}.sl"
        path.write_text(source(number), encoding="utf-8")
        learned = learn(path, seed=seed, seconds=3600, cpu_seconds=SECONDS, members=members,
                        minimal=False)  # fmt: skip
    return {
        "problem": number,
        "doc": PROBLEMS[number][0],
        "seed": seed,
        "solved": learned.solved,
        "proved": bool(learned.proof and learned.proof.proved),
        "method": learned.method,
        "skeleton": learned.help.skeleton if learned.help else "",
        "cpu_seconds": round(learned.cpu_seconds, 1),
        "length": len(learned.code),
        "program": learned.program,
        "facts": list(learned.proof.facts) if learned.proof else [],
        "detail": learned.detail,
    }


def cheap(runs: list[dict[str, Any]]) -> bool:
    """Whether the first seed solved a problem so soon that others are tried, too."""
    return any(not run["seed"] and run["solved"] and run["cpu_seconds"] < CHEAP for run in runs)


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, nargs="*", default=sorted(PROBLEMS))
    parser.add_argument("--methods", nargs="*", default=list(METHODS))
    parser.add_argument("--seeds", type=int, nargs="*", default=[0],
                        help="seeds above 0: problems that seed 0 took `CHEAP` s for")  # fmt: skip
    parser.add_argument("--out", type=Path, default=DOCS / "learning" / "hackers.json")
    options = parser.parse_args()
    target = options.out
    saved = json.loads(target.read_text(encoding="utf-8")) if target.exists() else {}
    for method, number, seed in product(options.methods, options.problems, options.seeds):
        runs = saved.setdefault(method, {}).setdefault(str(number), [])
        if seed and not cheap(runs):
            continue
        runs[:] = [run for run in runs if run["seed"] != seed]
        runs.append(measured(number, METHODS[method], seed))
        runs.sort(key=lambda run: run["seed"])
        target.write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")
        print(method, number, seed, runs[-1]["proved"], flush=True)


if __name__ == "__main__":
    main()
