"""The trace machine: a decoder that appends one token per executed instruction."""

from transputer.registry.machine import Ability, Machine, Option, lazy

_PACKED = {".safetensors": "a model has no source; use the program that it was built from"}
_INPUTS = frozenset({"invoke", "args", "stdin"})
_WEIGHTS = ("native", "lifted", "torch", "reference")
_ORACLES = ("oracle", "core", "words")

MACHINE = Machine(
    name="trace",
    doc="a decoder that appends one token per instruction",
    kinds={
        ".c": "C",
        ".cc": "C++",
        ".cpp": "C++",
        ".wat": "WebAssembly",
        ".asm": "Assembly",
        ".wasm": "WebAssembly, binary",
        ".core": "Core code",
        ".safetensors": "Model with a program",
    },
    compile=lazy("transputer.runtime.trace.program:compile_source"),
    abilities={
        "run": Ability(
            lazy("transputer.runtime.trace.verbs:run"),
            engines=("auto", *_WEIGHTS, *_ORACLES),
            takes=_INPUTS | {"env", "dirs", "files", "checkpoint", "resume"},
            restricts={
                ".safetensors": ("auto", *_WEIGHTS),
                ".core": ("auto", *_WEIGHTS, "core", "words"),
            },
        ),
        "debug": Ability(
            lazy("transputer.runtime.trace.verbs:record"),
            engines=("native", "reference"),
            takes=_INPUTS | {"edits"},
            excludes=_PACKED,
        ),
        "diff": Ability(
            lazy("transputer.runtime.trace.verbs:diff"),
            engines=("native", "torch", "reference", *_ORACLES),
            takes=_INPUTS | {"weights"},
            excludes=_PACKED,
            restricts={".core": ("native", "torch", "reference", "core", "words")},
        ),
        "export": Ability(
            lazy("transputer.runtime.trace.verbs:export"),
            takes=frozenset({"invoke", "args", "specialize", "dtype"}),
            formats=("onnx", "safetensors", "c", "hf", "prompt", "site"),
            # a page shows its source
            restricts={".safetensors": ("onnx", "safetensors", "c", "hf", "prompt")},
        ),
        "export_model": Ability(
            lazy("transputer.runtime.trace.export:export_model"), formats=("hf",)
        ),
        "dis": Ability(
            lazy("transputer.registry.program:listing"),
            takes=frozenset({"core"}),
            excludes=_PACKED,
        ),
        "rows": Ability(lazy("transputer.runtime.trace.batch:rows")),
        "view": Ability(lazy("transputer.runtime.trace.view:TraceView")),
        "studio": Ability(lazy("transputer.runtime.trace.site:studio_frame")),
        "damage": Ability(lazy("transputer.runtime.broken:break_weight")),
        "damage_view": Ability(lazy("transputer.runtime.broken:BrokenView")),
        "prepare": Ability(
            lazy("transputer.runtime.prepared:prepare_trace"), formats=("c", "wat", "asm", "words")
        ),
        "specialize": Ability(lazy("transputer.runtime.trace.pack:specialize")),
        "build": Ability(lazy("transputer.runtime.models:build_trace")),
        "audit": Ability(lazy("transputer.check.audit.run:audit")),
        "prove": Ability(lazy("transputer.check.prove:prove")),
    },
    options=(
        Option("includes", tuple, "search DIR for headers", ("compile",), "DIR"),
        Option("defines", tuple, "define a macro", ("compile",), "NAME[=VALUE]"),
        Option("opt", str, "optimisation level: 0, 1, 2, 3, s (default) or z", ("compile",),
               "LEVEL"),
        Option("library", bool, "link the C library or not", ("compile",), ""),
        Option("flags", tuple, "flags for the C compiler", ("compile",), "FLAGS"),
        Option("notice", object, "gets a message when the C library is built", ("compile",), ""),
        Option("addressing", str, "how heads find addresses: digits (default) or parabolic",
               ("build",), "NAME"),
        Option("context", int, "number of positions that the model is built for", ("build",), "N"),
    ),
)  # fmt: skip
