"""The one door: compile, run, disassemble and test. The command line calls only this."""

from transputer.api.audit import audit
from transputer.api.learn import learn, learn_tasks, learned_wat, learning_rates
from transputer.api.models import build, inspect, save_model
from transputer.api.program import Program, compile
from transputer.api.run import Result, run, run_program
from transputer.api.sessions import ENGINES, ORACLES, WEIGHTS, new_session
from transputer.api.suite import spec
from transputer.api.trace import Read, Step, trace
from transputer.audit.verdict import Verdict
from transputer.oracle.session import DEFAULT_STEPS
from transputer.spec import Score

__all__ = [
    "DEFAULT_STEPS",
    "ENGINES",
    "ORACLES",
    "WEIGHTS",
    "Program",
    "Read",
    "Result",
    "Score",
    "Step",
    "Verdict",
    "audit",
    "build",
    "compile",
    "inspect",
    "learn",
    "learn_tasks",
    "learned_wat",
    "learning_rates",
    "new_session",
    "run",
    "run_program",
    "save_model",
    "spec",
    "trace",
]
