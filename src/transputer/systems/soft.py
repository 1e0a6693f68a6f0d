"""The soft machine: differentiable, and not a transformer."""

from transputer.registry.machine import Ability, Machine, Option, lazy

_INPUTS = frozenset({"invoke", "args", "stdin"})

MACHINE = Machine(
    name="soft",
    doc="a differentiable machine: every choice is a distribution; not a transformer",
    kinds={".soft": "Soft assembly", ".c": "Small C", ".image": "Image"},
    compile=lazy("transputer.runtime.soft.program:compile_source"),
    abilities={
        "run": Ability(
            lazy("transputer.runtime.soft.run:run"),
            engines=("auto", "native", "hard", "soft"),
            takes=_INPUTS,
        ),
        "debug": Ability(
            lazy("transputer.runtime.soft.debug:record"),
            engines=("native",),
            takes=_INPUTS | {"edits"},
        ),
        "diff": Ability(
            lazy("transputer.runtime.soft.diff:diff"),
            engines=("native", "hard", "soft", "oracle"),
            takes=_INPUTS,
        ),
        "export": Ability(lazy("transputer.runtime.soft.program:export"), formats=("image",)),
        "dis": Ability(lazy("transputer.registry.program:listing")),
        "view": Ability(lazy("transputer.runtime.soft.view:SoftView")),
        "prepare": Ability(lazy("transputer.runtime.prepared:prepare"), formats=("soft", "c")),
    },
    options=(
        Option("board", str, "run with all devices: the keyboard reads standard input, the serial "
               "line writes standard output; save the screen as FILE, a PPM picture", ("run",),
               "FILE"),
        Option("temperature", float, "also run the first steps at this temperature", ("debug",),
               "T"),
    ),
)  # fmt: skip
