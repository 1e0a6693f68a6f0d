"""Benchmarks: the same programs on every engine, verified before they are timed.

A benchmark is a function that returns a `Report`; `BENCHES` lists them for the command line.
"""

from transputer.check.bench.benches import BENCHES, Bench
from transputer.check.bench.report import Report

__all__ = ["BENCHES", "Bench", "Report"]
