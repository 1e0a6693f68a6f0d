"""The one door: compile, run, disassemble and test. The command line calls only this."""

from transputer.api.audit import audit
from transputer.api.costs import LookupCost, OpCost, lookup_costs, op_costs
from transputer.api.debug import RECORDERS, Break, Debugger, Recorder, debug, warm
from transputer.api.export import FORMATS, export
from transputer.api.learn import (
    cannot_learn,
    learn,
    learn_tasks,
    learn_watched,
    learned_wat,
    learning_rates,
)
from transputer.api.long import Interrupted
from transputer.api.models import build, inspect, save_model
from transputer.api.pack import pack, specialize
from transputer.api.plots import plot_attention, plot_lanes
from transputer.api.program import Program, compile
from transputer.api.prove import Certificate, prove
from transputer.api.run import Result, run, run_program
from transputer.api.sessions import ENGINES, ORACLES, WEIGHTS, new_session
from transputer.api.suite import spec
from transputer.api.text import LANGUAGES, Problem, compile_text, functions, problems
from transputer.api.trace import Read, Step, Trace, trace
from transputer.api.views import View
from transputer.audit.verdict import Verdict
from transputer.errors import UsageError
from transputer.model import card
from transputer.oracle.session import DEFAULT_STEPS
from transputer.spec import Score

__all__ = [
    "Break",
    "Debugger",
    "debug",
    "DEFAULT_STEPS",
    "ENGINES",
    "FORMATS",
    "LANGUAGES",
    "ORACLES",
    "RECORDERS",
    "WEIGHTS",
    "Certificate",
    "Interrupted",
    "LookupCost",
    "OpCost",
    "Problem",
    "Program",
    "Read",
    "Recorder",
    "Result",
    "Score",
    "Step",
    "Trace",
    "UsageError",
    "Verdict",
    "View",
    "audit",
    "build",
    "cannot_learn",
    "card",
    "compile",
    "compile_text",
    "export",
    "functions",
    "inspect",
    "lookup_costs",
    "learn",
    "learn_tasks",
    "learn_watched",
    "learned_wat",
    "learning_rates",
    "new_session",
    "op_costs",
    "pack",
    "plot_attention",
    "plot_lanes",
    "problems",
    "prove",
    "run",
    "run_program",
    "save_model",
    "spec",
    "specialize",
    "trace",
    "warm",
]
