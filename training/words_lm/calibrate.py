"""Fit the confidence of `smollm2`: `python -m training.words_lm.calibrate --svamp FILE`.

The planner's own beam search on SVAMP's validation problems, on a CPU; the temperature and the
threshold go to `calibration.json`, what was measured to `results/calibrate.json`.
"""

import argparse
import json
import time
from pathlib import Path

from training.words.cases import svamp
from training.words.evaluate import heat_of, rows, summary, threshold
from transputer.frontends.words import smollm
from transputer.frontends.words.embedded.beam import search
from transputer.frontends.words.numbers import find
from transputer.frontends.words.smollm.planner import SmolLM
from transputer.frontends.words.smollm.prompt import pieces

HERE = Path(__file__).parent


def main() -> None:
    """Search, fit, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--svamp", type=Path, required=True)
    parser.add_argument("--most", type=int, default=150, help="how many problems")
    args = parser.parse_args()
    planner = SmolLM()
    cases = svamp(args.svamp)[: args.most]
    found, seconds = [], []
    for case in cases:
        started = time.process_time()
        read = pieces(planner.tokenizer, case.text, find(case.text))
        found.append(search(planner.decoder, read))
        seconds.append(time.process_time() - started)
        print(f"\r{len(found)} of {len(cases)}", end="", flush=True)
    heat = heat_of(cases, found)
    made = rows(cases, found, heat)
    least = threshold(made)
    setting = {"temperature": round(heat, 2), "threshold": least}
    for folder in smollm.__path__:
        (Path(folder) / "calibration.json").write_text(json.dumps(setting) + "\n")
    report = {"calibration": setting, "svamp": summary(made, seconds, least)}
    (HERE / "results" / "calibrate.json").write_text(json.dumps(report, indent=1) + "\n")
    print(f"\n{json.dumps(report)}")


if __name__ == "__main__":
    main()
