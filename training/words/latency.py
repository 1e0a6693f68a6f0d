"""How long a planner takes: `python -m training.words.latency`, with `--planner smollm2` another.

Loads it, then plans held-out stories one after another on one thread, and prints CPU times.
"""

import argparse
import time
from contextlib import suppress

from training.words.cases import held_cases
from transputer.frontends.words.embedded.planner import Embedded
from transputer.frontends.words.installed import load_planner
from transputer.frontends.words.numbers import find
from transputer.frontends.words.planner import Abstained, Planner


def main() -> None:
    """Print the time to load (with a first question), the median and the 95th percentile."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="questions")
    parser.add_argument("--planner", default=Embedded.name)
    args = parser.parse_args()
    started = time.process_time()
    model = load_planner(args.planner)
    _seconds(model, "Ann has 5 apples. She eats 2. How many are left?")  # loads the weights
    loaded = time.process_time() - started
    spent = sorted(_seconds(model, case.text) for case in held_cases(args.count)["story"])
    middle, late = spent[len(spent) // 2], spent[len(spent) * 95 // 100]
    print(f"load {loaded:.3f} s; {len(spent)} questions: median {1000 * middle:.1f} ms, ", end="")
    print(f"95th percentile {1000 * late:.1f} ms")


def _seconds(model: Planner, text: str) -> float:
    started = time.process_time()
    with suppress(Abstained):
        model.propose(text, find(text))
    return time.process_time() - started


if __name__ == "__main__":
    main()
