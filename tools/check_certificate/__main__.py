"""Check the certificate of a model: `python tools/check_certificate MODEL CERTIFICATE`.

Reads a safetensors file and a certificate (docs/trust.md), derives every function from the tensors,
and says row by row how the formulas were proved. Imports NumPy and the files of this folder. Exits
with 1 if a file is refused or a token refutes a formula; with --strict, if a row is not proved.
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
from formulas import UnknownFormulaError
from network import Model, Network, RefusedError
from rows import NotProvedError, check_row
from sampled import refuted

MEANINGS = {
    "formulas": "proved for all tokens, by normal form",
    "points": "proved for all tokens, by equality at a random point",
    "not proved": "not proved: compared on random tokens only",
    "wrong": "refuted by a token",
}


def verdict_of(network, certificate, entry, seconds):
    """How a row was proved or why it was not; what is not proved is compared on random tokens."""
    try:
        return check_row(network, certificate, entry, seconds), ""
    except (NotProvedError, RefusedError) as problem:
        why = str(problem)
    try:
        token = refuted(network, certificate, entry, random.Random(1), samples=8)
    except UnknownFormulaError:
        token = None  # the formula has no value
    return ("wrong", token) if token else ("not proved", why)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("certificate")
    parser.add_argument("--rows", metavar="A:B:C", default=":", help="check only these rows")
    parser.add_argument("--seconds", type=float, default=60, help="CPU time for each attempt")
    parser.add_argument("--strict", action="store_true", help="fail for rows that are not proved")
    parser.add_argument("--verbose", action="store_true", help="print a line for each row")
    parser.add_argument("--json", metavar="FILE", help="write how each row was proved")
    options = parser.parse_args()
    start, report, counts, times = time.process_time(), [], Counter(), Counter()
    try:
        network = Network(Model(Path(options.model).read_bytes()))
        content = json.loads(lzma.decompress(Path(options.certificate).read_bytes()))
        certificate = Certificate(content, network)
    except (RefusedError, KeyError, ValueError) as problem:
        print(f"refused: {problem}")
        return 1
    print(f"heads   {len(certificate.keys)} of {len(network.heads)} are dictionaries (lemma 1)")
    chosen = slice(*(int(n) if n else None for n in options.rows.split(":")))
    for number in range(len(certificate.rows))[chosen]:
        begin, row = time.process_time(), certificate.rows[number]["fixed"]
        verdict, why = verdict_of(network, certificate, certificate.rows[number], options.seconds)
        spent = time.process_time() - begin
        counts[verdict] += 1
        times[verdict] += spent
        report.append({"number": number, "row": row, "verdict": verdict, "why": why,
                       "CPU s": round(spent, 2)})  # fmt: skip
        if options.verbose or verdict == "wrong":
            print(f"row     {number} {row} {verdict} {why} {spent:.2f} s", flush=True)
        if options.json:
            Path(options.json).write_text(json.dumps({"counts": counts, "rows": report}, indent=0))
    for verdict, meaning in MEANINGS.items():
        print(f"rows    {counts[verdict]:4} {meaning} ({times[verdict]:.0f} s)")
    print(f"time    {time.process_time() - start:.0f} s of CPU")
    return int(bool(counts["wrong"] or options.strict and counts["not proved"]))


if __name__ == "__main__":
    sys.exit(main())
