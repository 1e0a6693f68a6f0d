"""The one door: compile, run, disassemble and test. The command line calls only this."""

from transputer.api.audit import audit
from transputer.api.costs import LookupCost, OpCost, lookup_costs, op_costs
from transputer.api.export import FORMATS, export
from transputer.api.learn import learn, learn_tasks, learned_wat, learning_rates
from transputer.api.long import Interrupted
from transputer.api.loom import LOOM_ENGINES, compile_loom, export_loom, run_loom, smallest
from transputer.api.models import build, build_loom, inspect, save_model
from transputer.api.pack import pack, specialize
from transputer.api.program import Program, compile
from transputer.api.prove import Certificate, prove
from transputer.api.run import Result, run, run_program
from transputer.api.sessions import ENGINES, ORACLES, WEIGHTS, new_session
from transputer.api.suite import spec
from transputer.api.trace import Read, Step, trace
from transputer.audit.verdict import Verdict
from transputer.errors import UsageError
from transputer.model import card
from transputer.oracle.session import DEFAULT_STEPS
from transputer.spec import Score

__all__ = [
    "DEFAULT_STEPS",
    "ENGINES",
    "FORMATS",
    "LOOM_ENGINES",
    "ORACLES",
    "WEIGHTS",
    "Certificate",
    "Interrupted",
    "LookupCost",
    "OpCost",
    "Program",
    "Read",
    "Result",
    "Score",
    "Step",
    "UsageError",
    "Verdict",
    "audit",
    "build",
    "build_loom",
    "card",
    "compile",
    "compile_loom",
    "export",
    "export_loom",
    "inspect",
    "lookup_costs",
    "learn",
    "learn_tasks",
    "learned_wat",
    "learning_rates",
    "new_session",
    "op_costs",
    "pack",
    "prove",
    "run",
    "run_loom",
    "run_program",
    "save_model",
    "smallest",
    "spec",
    "specialize",
    "trace",
]
