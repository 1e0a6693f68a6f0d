"""Learning with help: `python -m tools.learning.aided --out aided.json`."""

import argparse
import json
import sys
from pathlib import Path

from transputer.learning.aided import AIDS, STUDENT, aided


def main() -> None:
    """Run all and write what came of it."""
    parser = argparse.ArgumentParser(description="Learning with help, stated.")
    parser.add_argument("--seeds", type=int, choices=sorted(STUDENT), default=10)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    results = []
    for aid in AIDS:
        results.append(aided(aid, options.seeds))
        print(f"{aid.task}, {aid.given}: {results[-1]['mean']:,}", file=sys.stderr, flush=True)
        options.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
