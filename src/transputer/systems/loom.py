"""The loom machine: a looped transformer whose state is a matrix of columns."""

from transputer.registry.machine import Ability, Machine, Option, lazy

_ENGINES = ("native", "lifted", "torch", "onnx", "reference", "softmax")

MACHINE = Machine(
    name="loom",
    doc="a looped transformer: one application to a matrix of columns per instruction",
    kinds={".c": "Small C", ".loomasm": "Loom assembly"},
    compile=lazy("transputer.runtime.loom.program:compile_source"),
    abilities={
        "run": Ability(
            lazy("transputer.runtime.loom.run:run"),
            engines=("auto", *_ENGINES, "oracle"),
            takes=frozenset({"invoke", "stdin"}),
        ),
        "debug": Ability(
            lazy("transputer.runtime.loom.debug:record"),
            engines=("native", "reference", "softmax"),
            takes=frozenset({"invoke", "stdin", "edits"}),
        ),
        "diff": Ability(
            lazy("transputer.runtime.loom.diff:diff"),
            engines=(*_ENGINES, "oracle"),
            takes=frozenset({"invoke", "stdin", "weights"}),
        ),
        "export": Ability(
            lazy("transputer.runtime.loom.export:export"),
            takes=frozenset({"dtype"}),
            formats=("onnx", "verilog", "hf"),
        ),
        "dis": Ability(lazy("transputer.registry.program:listing")),
        "view": Ability(lazy("transputer.runtime.loom.view:LoomView")),
        "damage": Ability(lazy("transputer.runtime.broken:break_weight")),
        "damage_view": Ability(lazy("transputer.runtime.broken:BrokenView")),
        "prepare": Ability(lazy("transputer.runtime.prepared:prepare"), formats=("c", "loomasm")),
        "build": Ability(lazy("transputer.runtime.models:build_loom")),
        "audit": Ability(lazy("transputer.check.audit.run:audit")),
        "prove": Ability(lazy("transputer.check.prove:prove")),
    },
    options=(
        Option("bits", int, "word width in bits: 8, 16 or 32 (default)", ("compile",)),
        Option("config", str, "size of the state; default: the smallest that fits the program",
               ("compile", "build"), "NAME"),
    ),
)  # fmt: skip
