"""`transputer diff`."""

import json
from typing import Any

import click

from transputer import api
from transputer.cli.progress import Ticker
from transputer.cli.sources import (
    ProgramCommand,
    leave_out,
    load,
    machine_options,
    only_on,
    program_options,
)
from transputer.errors import UsageError


@click.command(cls=ProgramCommand, context_settings={"ignore_unknown_options": True})
@program_options
@machine_options("trace", "loom")
@click.option("--engines", default="native,oracle", show_default=True, metavar="A,B",
              help="Two engines; the second may be words (the interpreter of the same core code) "
              "or oracle (of the program as written, too).")  # fmt: skip
@click.option("--invoke", metavar="NAME", help="Call this exported function with ARGS.")
@click.option("--model", "weights", metavar="FILE", help="Other weights for the first engine.")
@click.option("--stdin", "typed", metavar="FILE", type=click.File("rb"),
              help="The program's input; without it there is none.")  # fmt: skip
@click.option("--max-steps", default=api.COMPARED, show_default=True, metavar="N",
              help="How many steps to compare.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def diff(
    machine: str,
    config: str | None,
    bits: int,
    engines: str,
    invoke: str | None,
    weights: str | None,
    typed: Any,
    max_steps: int,
    as_json: bool,
    **source: Any,
) -> None:
    """Find the first step in which two engines do different things; exit 1 where there is one."""
    names = engines.split(",")
    if len(names) != 2:
        raise UsageError(f"--engines takes two names with a comma between them, not {engines!r}")
    pair = (names[0], names[1])
    only_on("loom", machine, {"--config": config, "--bits": bits})
    if machine == "loom":
        leave_out("loom", {"--invoke": invoke, "--stdin": typed, "ARGS": source["args"]})
        program = api.compile_loom(source["file"], bits, config)
        model = None if weights is None else api.load_looped(weights)
        with Ticker() as ticker:
            found = api.diff_loom(
                program, pair, config, max_steps=max_steps, model=model, pulse=ticker.pulse
            )
    else:
        found = _on_tokens(pair, invoke, typed, weights, max_steps, source)
    click.echo(json.dumps(_json(found)) if as_json else _text(found, names))
    if found.difference is not None:
        raise click.exceptions.Exit(1)


def _on_tokens(
    engines: tuple[str, str], invoke: str | None, typed: Any, weights: str | None, max_steps: int,
    source: dict[str, Any],
) -> api.Compared:  # fmt: skip
    program, args = load(**source)
    return api.diff(
        program, engines, invoke, args,
        stdin=typed.read() if typed is not None else b"", max_steps=max_steps,
        model=None if weights is None else api.load_model(weights),
    )  # fmt: skip


def _json(found: api.Compared) -> dict[str, Any]:
    d = found.difference
    told = None if d is None else {
        "step": d.step, "pc": d.pc, "what": d.what, "first": d.first, "second": d.second,
        "instruction": found.instruction, "line": found.line,
    }  # fmt: skip
    return {"steps": found.steps, "difference": told}


def _text(found: api.Compared, names: list[str]) -> str:
    d = found.difference
    if d is None:
        return f"no difference in {found.steps:,} steps"
    where = f"step {d.step:,}" if d.step else "what came out"
    place = ", ".join(x for x in (f"pc {d.pc}", found.instruction, found.line) if x)
    first = f"{where} ({place})" if d.step else where
    return f"{first}: {d.what}\n  {names[0]}: {d.first}\n  {names[1]}: {d.second}"
