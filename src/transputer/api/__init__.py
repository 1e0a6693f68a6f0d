"""The one door: compile, run, disassemble and test. The command line calls only this."""

from transputer.check.audit.verdict import Verdict
from transputer.check.audit_api import audit, audit_loom
from transputer.check.bench.costs import LookupCost, OpCost, lookup_costs, op_costs
from transputer.check.bench.loom_speed import LoomCost, loom_costs
from transputer.check.fuzz.campaign import Tally
from transputer.check.fuzz_api import KINDS as FUZZ_KINDS
from transputer.check.fuzz_api import fuzz, fuzz_compared, replay
from transputer.check.prove import Certificate, LoopedCertificate, prove
from transputer.check.spec import Score
from transputer.check.suite import spec
from transputer.debugger.cursor import Break
from transputer.errors import UsageError
from transputer.frontends.words.installed import load_planner
from transputer.frontends.words.planner import Planner
from transputer.host.session import DEFAULT_STEPS
from transputer.ir.image import Image
from transputer.ir.image import from_bytes as read_image
from transputer.machines.trace.circuit import model as trace_model
from transputer.model import card
from transputer.runtime.ask import (
    ASK_STEPS,
    Answer,
    ask,
    default_model,
    endpoint,
    first_steps,
    plan_question,
    template,
)
from transputer.runtime.debugging import Debugger, Shown
from transputer.runtime.learn import (
    cannot_learn,
    learn,
    learn_tasks,
    learn_watched,
    learned_wat,
    learning_device,
    learning_rates,
    learning_shown,
)
from transputer.runtime.loom.debug import LOOM_DEBUG_ENGINES, LoomDebugger, debug_loom
from transputer.runtime.loom.diff import diff_loom, trace_loom
from transputer.runtime.loom.loom import (
    LOOM_ENGINES,
    LOOM_FORMATS,
    compile_loom,
    export_loom,
    run_loom,
    smallest,
)
from transputer.runtime.map import Runner, finished, inputs_of, map_inputs, runner
from transputer.runtime.models import (
    build,
    build_loom,
    inspect,
    load_looped,
    load_model,
    save_model,
)
from transputer.runtime.plots import plot_attention, plot_lanes, plot_speed
from transputer.runtime.recorders import RECORDERS, Prepared, Recorder, Setting, recorder, view_of
from transputer.runtime.soft.debug import assemble_soft, debug_soft, soft_inputs
from transputer.runtime.soft.selfhost import Stage, self_compile, stages
from transputer.runtime.soft.soft import SOFT_ENGINES, compile_soft, run_soft
from transputer.runtime.trace.debug import DEBUG_ENGINES, TraceDebugger, debug, warm
from transputer.runtime.trace.diff import COMPARED, Compared, diff
from transputer.runtime.trace.export import FORMATS, export
from transputer.runtime.trace.long import Interrupted
from transputer.runtime.trace.pack import pack, specialize
from transputer.runtime.trace.program import Program, compile
from transputer.runtime.trace.run import Result, run, run_program
from transputer.runtime.trace.sessions import ENGINES, ORACLES, WEIGHTS, new_session
from transputer.runtime.trace.text import LANGUAGES, Problem, compile_text, functions, problems
from transputer.runtime.trace.trace import LoomStep, Read, Step, Trace, trace
from transputer.runtime.views import View

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
