"""Every verb on every machine, engine and file kind: it works, or the one rule refuses it."""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

import transputer as tp
from transputer.errors import EngineUnavailable, Trap, Unsupported, UsageError
from transputer.registry import check
from transputer.registry import machine as machine_named
from transputer.registry.program import Program

#: A function `f` of two arguments or a whole program, in every kind of file.
WAT = '(module (func (export "f") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add))'
C = "int putchar(int c); int main(void) { putchar('7'); return 258; }"
#: The same without the C library, whose start takes thousands of steps.
FREESTANDING = '#include "transputer.h"\nint main(void) { tp_write(55); return 258; }'
ASM = "PUSH 40\nPUSH 2\nADD\nHALT\n"
SOFT = "SET R0, 42\nOUT R0\nHALT\n"
LOOM = "    INC result\n    HALT\n    .word result 41\n"
VERBS = ("run", "trace", "debug", "diff", "export", "dis")


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Path]:
    """A file of every kind, by machine and suffix."""
    folder = tmp_path_factory.mktemp("samples")
    files: dict[tuple[str, str], Path] = {}

    def put(machine: str, suffix: str, data: str | bytes) -> Path:
        path = folder / f"{machine}{suffix}"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        files[machine, suffix] = path
        return path

    wat = tp.compile(put("trace", ".wat", WAT))
    put("trace", ".c", FREESTANDING)
    for suffix in (".cc", ".cpp"):
        put("trace", suffix, FREESTANDING.replace("int main", 'extern "C" int main'))
    put("trace", ".asm", ASM)
    put("trace", ".wasm", wat.wasm())  # type: ignore[attr-defined]
    put("trace", ".core", wat.text("core"))
    wat.export("safetensors", folder / "trace.safetensors", invoke="f")
    files["trace", ".safetensors"] = folder / "trace.safetensors"
    put("loom", ".c", C)
    put("loom", ".loomasm", LOOM)
    put("soft", ".soft", SOFT)
    image = tp.compile(put("soft", ".c", C), machine="soft")
    image.export("image", folder / "soft.image")
    files["soft", ".image"] = folder / "soft.image"
    return files


def test_there_is_a_sample_of_every_kind(samples: dict[tuple[str, str], Path]) -> None:
    kinds = {(m.name, kind) for m in tp.list_machines() for kind in m.kinds}
    assert set(samples) == kinds


CASES = [
    (machine.name, kind, verb)
    for machine in tp.list_machines()
    for kind, verb in product(machine.kinds, VERBS)
]


@pytest.mark.parametrize("machine, kind, verb", CASES, ids=lambda value: value.strip("."))
def test_every_verb(
    samples: dict[tuple[str, str], Path], machine: str, kind: str, verb: str, tmp_path: Path
) -> None:
    program = tp.compile(samples[machine, kind], machine=machine)
    ability = {"trace": "debug"}.get(verb, verb)
    chosen = machine_named(machine)
    if ability not in chosen.abilities:
        with pytest.raises(Unsupported, match=f"the {machine} machine cannot {verb}"):
            do(program, verb, "auto", tmp_path)
        return
    able = chosen.abilities[ability]
    assert set(able.restricts) <= set(chosen.kinds) and set(able.excludes) <= set(chosen.kinds)
    if kind in able.excludes:
        with pytest.raises(Unsupported, match=f"the {machine} machine cannot {ability} {kind}"):
            do(program, verb, "auto", tmp_path)
        return
    for engine in able.restricts.get(kind, able.engines) or able.formats or ("",):
        if verb == "diff" and engine in ("oracle", "core", "words"):
            continue  # the second engine of every comparison below
        try:
            do(program, verb, engine, tmp_path)
        except EngineUnavailable as error:
            assert "pip install" in str(error) or "compiler" in str(error)
    if able.engines:
        with pytest.raises(UsageError, match="no engine 'nonsense'"):
            do(program, verb, "nonsense", tmp_path)


def do(program: Program, verb: str, engine: str, folder: Path) -> None:
    """Do a verb on an engine, or export to a format, and check what comes of it."""
    typed = program.machine == "trace" and program.kind in (".wat", ".wasm", ".core")
    packed = program.kind == ".safetensors"
    invoke = "f" if typed else None
    args = [40, 2] if typed or packed else []
    if verb == "run":
        check_result(program.run(invoke, args, engine=engine), program)
    elif verb == "trace":
        steps = program.trace(invoke, args, engine=engine)
        assert steps and all(step.instruction for step in steps)
    elif verb == "debug":
        debugger = program.debug(invoke, args, engine=engine)
        assert debugger.result is not None
        check_result(debugger.result, program)
    elif verb == "diff":
        second = "words" if program.kind == ".core" else "oracle"
        assert program.diff((engine, second), invoke, args).difference is None
    elif verb == "export":
        suffix = {"verilog": ".v"}.get(engine, f".{engine}")
        paths = program.export(engine, folder / f"out{suffix}", invoke=invoke, args=args)
        assert all(path.stat().st_size for path in paths)
    else:
        assert check(program.machine, "dis", program.kind).call(program).strip()


def check_result(result: tp.Result, program: Program) -> None:
    assert result.trap is None and result.machine == program.machine
    if program.kind in (".c", ".cc", ".cpp", ".image"):  # main: output and exit code, no results
        assert (result.stdout, result.exit_code, result.results) == (b"7", 258 & 0xFF, [])
    elif program.kind == ".soft":
        assert (result.stdout, result.exit_code, result.results) == (b"42\n", 0, [])
    else:
        assert (result.stdout, result.exit_code, result.results) == (b"", 0, [42])


#: Machines that compile C.
IN_C = [m.name for m in tp.list_machines() if ".c" in m.kinds]


@pytest.mark.parametrize("library", [None, False])
@pytest.mark.parametrize("machine", IN_C)
def test_main_can_be_invoked_for_its_value(machine: str, library: bool | None) -> None:
    library = library if machine == "trace" else None
    program = tp.compile(
        source="int main(void) { return -3; }", kind="c", machine=machine, library=library
    )
    assert program.run("main").results == [-3] and program.run("main").exit_code == 0
    assert program.run().results == [] and program.run().exit_code == 253
    with pytest.raises(UsageError, match="no .*func.* 'nothing'"):
        program.run("nothing")


TRAP = "volatile int zero; int main(void) { return 100 / zero; }"


@pytest.mark.parametrize("machine", IN_C)
def test_a_trap_is_the_same_everywhere(machine: str) -> None:
    result = tp.compile(source=TRAP, kind="c", machine=machine).run()
    assert result.exit_code == 134 and result.as_json()["exit_code"] == 134
    assert result.trap is Trap.DIVIDE_BY_ZERO and result.results == []


def test_options_are_refused_by_the_one_rule(tmp_path: Path) -> None:
    source = tmp_path / "p.c"
    source.write_text(C)
    with pytest.raises(UsageError, match="compile on the trace machine does not take `bits`"):
        tp.run(source, bits=8)
    with pytest.raises(UsageError, match="run on the loom machine does not take `args`"):
        tp.run(source, args=[1], machine="loom")
    with pytest.raises(UsageError, match="debug on the trace machine does not take `temperature`"):
        tp.debug(source, temperature=0.5)
    with pytest.raises(UsageError, match="no machine 'none'; available: trace, loom, soft"):
        tp.run(source, machine="none")
    with pytest.raises(UsageError, match=r"compiles .*\.loomasm files, not \.wat; --machine trace"):
        tp.compile(source="(module)", kind="wat", machine="loom")


def test_the_registry_refuses_a_name_twice() -> None:
    first = tp.list_machines()[0]
    assert tp.register(first) is first
    with pytest.raises(UsageError, match="already"):
        tp.register(tp.Machine("trace", "", {}, lambda source: None, {}))


def test_the_api_is_flat_typed_and_documented() -> None:
    for name in tp.__all__:
        assert name in dir(tp)
    for name in ("run", "compile", "trace", "debug", "diff", "export", "prove", "audit", "ask",
                 "learn", "map", "build", "inspect"):  # fmt: skip
        function = getattr(tp, name)
        assert callable(function) and not hasattr(function, "__path__"), f"{name} is a module"
        assert function.__doc__ and function.__doc__.splitlines()[0].endswith(".")
        assert set(function.__annotations__) >= {"return"}
        kinds = {str(p.kind) for p in __import__("inspect").signature(function).parameters.values()}
        assert "VAR_KEYWORD" not in kinds
    assert "\n" not in repr(tp.run("examples/asm/sum.asm"))
    assert "\n" not in repr(tp.compile("examples/asm/sum.asm"))


def test_another_package_offers_a_machine(tmp_path: Path) -> None:
    """It is found by its entry point."""
    (tmp_path / "other.py").write_text(
        "from dataclasses import replace\n"
        "from transputer.systems.soft import MACHINE as soft\n"
        "MACHINE = replace(soft, name='other')\n"
    )
    info = tmp_path / "other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[transputer.machines]\nother = other:MACHINE\n")
    command = "from transputer.registry import machines; print(*(m.name for m in machines()))"
    for folders, names in ((sys.path, "trace loom soft"), ([tmp_path, *sys.path], "other")):
        done = subprocess.run(
            [sys.executable, "-c", command],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stdout.strip().endswith(names)
