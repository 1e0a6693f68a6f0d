"""The one door: compile, run, disassemble and test. The command line calls only this."""

from transputer.api.ask import (
    ASK_STEPS,
    Answer,
    ask,
    default_model,
    endpoint,
    first_steps,
    plan_question,
    template,
)
from transputer.api.audit import audit, audit_loom
from transputer.api.costs import LookupCost, OpCost, lookup_costs, op_costs
from transputer.api.debug import DEBUG_ENGINES, TraceDebugger, debug, warm
from transputer.api.debug_loom import LOOM_DEBUG_ENGINES, LoomDebugger, debug_loom
from transputer.api.debug_soft import assemble_soft, debug_soft, soft_inputs
from transputer.api.debugging import Debugger, Shown
from transputer.api.diff import COMPARED, Compared, diff
from transputer.api.diff_loom import diff_loom, trace_loom
from transputer.api.export import FORMATS, export
from transputer.api.fuzz import KINDS as FUZZ_KINDS
from transputer.api.fuzz import fuzz, fuzz_compared, replay
from transputer.api.learn import (
    cannot_learn,
    learn,
    learn_tasks,
    learn_watched,
    learned_wat,
    learning_device,
    learning_rates,
    learning_shown,
)
from transputer.api.long import Interrupted
from transputer.api.loom import (
    LOOM_ENGINES,
    LOOM_FORMATS,
    compile_loom,
    export_loom,
    run_loom,
    smallest,
)
from transputer.api.loom_speed import LoomCost, loom_costs
from transputer.api.map import Runner, finished, inputs_of, map_inputs, runner
from transputer.api.models import build, build_loom, inspect, load_looped, load_model, save_model
from transputer.api.pack import pack, specialize
from transputer.api.plots import plot_attention, plot_lanes, plot_speed
from transputer.api.program import Program, compile
from transputer.api.prove import Certificate, LoopedCertificate, prove
from transputer.api.recorders import RECORDERS, Prepared, Recorder, Setting, recorder, view_of
from transputer.api.run import Result, run, run_program
from transputer.api.selfhost import Stage, self_compile, stages
from transputer.api.sessions import ENGINES, ORACLES, WEIGHTS, new_session
from transputer.api.soft import SOFT_ENGINES, compile_soft, run_soft
from transputer.api.suite import spec
from transputer.api.text import LANGUAGES, Problem, compile_text, functions, problems
from transputer.api.trace import LoomStep, Read, Step, Trace, trace
from transputer.api.views import View
from transputer.audit.verdict import Verdict
from transputer.debug.cursor import Break
from transputer.errors import UsageError
from transputer.frontends.words.installed import load_planner
from transputer.frontends.words.planner import Planner
from transputer.fuzz.campaign import Tally
from transputer.ir.image import Image
from transputer.ir.image import from_bytes as read_image
from transputer.machines.trace.circuit import model as trace_model
from transputer.model import card
from transputer.oracle.session import DEFAULT_STEPS
from transputer.spec import Score

__all__ = [
    "ASK_STEPS",
    "COMPARED",
    "DEBUG_ENGINES",
    "DEFAULT_STEPS",
    "ENGINES",
    "FORMATS",
    "FUZZ_KINDS",
    "LANGUAGES",
    "LOOM_DEBUG_ENGINES",
    "LOOM_ENGINES",
    "LOOM_FORMATS",
    "ORACLES",
    "RECORDERS",
    "SOFT_ENGINES",
    "WEIGHTS",
    "Answer",
    "Break",
    "Certificate",
    "Compared",
    "Debugger",
    "Image",
    "Interrupted",
    "LookupCost",
    "LoomCost",
    "LoomDebugger",
    "LoomStep",
    "LoopedCertificate",
    "OpCost",
    "Planner",
    "Prepared",
    "Problem",
    "Program",
    "Read",
    "Recorder",
    "Result",
    "Runner",
    "Score",
    "Setting",
    "Shown",
    "Stage",
    "Step",
    "Tally",
    "Trace",
    "TraceDebugger",
    "UsageError",
    "Verdict",
    "View",
    "ask",
    "assemble_soft",
    "audit",
    "audit_loom",
    "build",
    "build_loom",
    "cannot_learn",
    "card",
    "compile",
    "compile_loom",
    "compile_soft",
    "compile_text",
    "debug",
    "debug_loom",
    "debug_soft",
    "default_model",
    "diff",
    "diff_loom",
    "endpoint",
    "export",
    "export_loom",
    "finished",
    "first_steps",
    "functions",
    "fuzz",
    "fuzz_compared",
    "inputs_of",
    "inspect",
    "learn",
    "learn_tasks",
    "learn_watched",
    "learned_wat",
    "learning_rates",
    "learning_device",
    "learning_shown",
    "load_looped",
    "load_model",
    "load_planner",
    "lookup_costs",
    "loom_costs",
    "map_inputs",
    "new_session",
    "op_costs",
    "pack",
    "plan_question",
    "plot_attention",
    "plot_lanes",
    "plot_speed",
    "problems",
    "prove",
    "read_image",
    "recorder",
    "replay",
    "run",
    "run_loom",
    "run_program",
    "run_soft",
    "runner",
    "save_model",
    "self_compile",
    "smallest",
    "soft_inputs",
    "spec",
    "specialize",
    "stages",
    "template",
    "trace",
    "trace_loom",
    "trace_model",
    "view_of",
    "warm",
]
