"""Check the certificate of a model: `python tools/check_certificate MODEL CERTIFICATE`.

Reads a safetensors file and a certificate (docs/trust.md), derives every function from the tensors,
and says row by row how the formulas were proved. Imports NumPy and the files of this folder. Exits
with 1 if a row is neither proved nor listed as unproved, or if a random token refutes a formula.
"""

import argparse
import json
import lzma
import random
import sys
import time
from collections import Counter
from pathlib import Path

from certificate import Certificate
from network import OWN, Model, Network, RefusedError
from rows import NotProvedError, check_row
from sampled import refuted


def closed(certificate, model):
    """Raise unless there is a row for everything that can be fetched, in phase 0.

    That rows lead to rows is part of the proof of each (`Row._continues`).
    """
    fetched = [c for c in certificate.controls if c[0] != OWN]
    own = [c for c in certificate.controls if c[0] == OWN]
    if len(fetched) != 1 or fetched[0][0] != certificate.fetch:
        raise RefusedError("rows are not chosen by what is fetched")
    for value in range(model.sizes[fetched[0][1]]):
        start = [(*fetched[0], value), *((*c, 0) for c in own)]
        if tuple(sorted(start)) not in certificate.chosen:
            raise RefusedError(f"no row for {start}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("certificate")
    parser.add_argument("--rows", metavar="A:B", default=":", help="check only these rows")
    parser.add_argument("--samples", type=int, default=8, help="random tokens for each row")
    parser.add_argument("--strict", action="store_true", help="fail for rows that are not proved")
    parser.add_argument("--verbose", action="store_true", help="print a line for each row")
    parser.add_argument("--json", metavar="FILE", help="write how each row was proved")
    options = parser.parse_args()
    start, times = time.process_time(), Counter()
    try:
        network = Network(Model(Path(options.model).read_bytes()))
        content = json.loads(lzma.decompress(Path(options.certificate).read_bytes()))
        certificate = Certificate(content, network)
        closed(certificate, network.model)
    except (RefusedError, KeyError, ValueError) as problem:
        print(f"refused: {problem}")
        return 1
    print(f"heads   {len(certificate.keys)} of {len(network.heads)} are dictionaries (lemma 1)")
    chosen = slice(*(int(n) if n else None for n in options.rows.split(":")))
    rng, report, wrong = random.Random(1), [], 0
    for entry in certificate.rows[chosen]:
        begin = time.process_time()
        verdict, why = "not proved", ""
        try:
            verdict, row = check_row(network, certificate, entry)
            why = " ".join(f"{name} {count}" for name, count in row.cases.items())
        except (NotProvedError, RefusedError) as problem:
            why = str(problem)
        samples = options.samples if verdict == "not proved" else 1  # a proof needs none
        problem = refuted(network, certificate, entry, rng, samples)
        if problem:
            verdict, why, wrong = "wrong", problem, wrong + 1
        times[verdict] += time.process_time() - begin
        if options.verbose:
            print(entry["fixed"], verdict, why, round(time.process_time() - begin, 2), flush=True)
        report.append({"row": entry["fixed"], "verdict": verdict, "why": why})
    counts = Counter(item["verdict"] for item in report)
    for verdict, meaning in (
        ("formulas", "proved for all tokens, by normal form"),
        ("points", "proved for all tokens, by equality at a random point"),
        ("not proved", f"not proved: compared on {options.samples} random tokens only"),
        ("wrong", "refuted by a token"),
    ):
        print(f"rows    {counts[verdict]:4} {meaning} ({times[verdict]:.0f} s)")
    for item in report:
        if item["verdict"] == "wrong":
            print(f"wrong   {item['row']}: {item['why']}")
    print(f"time    {time.process_time() - start:.0f} s of CPU")
    if options.json:
        Path(options.json).write_text(json.dumps({"counts": counts, "rows": report}, indent=0))
    return int(bool(wrong or options.strict and counts["not proved"]))


if __name__ == "__main__":
    sys.exit(main())
