"""`transputer ask`."""

import json
import sys
from collections.abc import Iterator
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress

from transputer import api
from transputer.cli.progress import Ticker
from transputer.errors import StepLimitError, UsageError
from transputer.runtime.ask import ASK_STEPS, Answer, MissingWeights, endpoint, first_steps
from transputer.runtime.trace.sessions import ENGINES

ABSTAINED, TRAPPED, STOPPED = 4, 134, 3
#: With several questions, the exit code is the first of these that any question gave.
_WORST = (STOPPED, TRAPPED, ABSTAINED)


@click.command(epilog="\b\nTry:\n  transputer ask 'sum of the squares from 1 to 100'")
@click.argument("question", required=False)
@click.option("--file", "file", metavar="FILE",
              help="Read questions from FILE, one per line; - is standard input.")  # fmt: skip
@click.option("--explain", is_flag=True, help="Show every stage: numbers, plan, program, steps.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per question instead.")
@click.option("--no-model", is_flag=True, help="Use the rules alone.")
@click.option("--planner", metavar="NAME", help="Planner to use after the rules.")
@click.option("--model", metavar="NAME",
              help="Use this model behind OPENAI_BASE_URL as the planner.")  # fmt: skip
@click.option("--threshold", type=click.FloatRange(0, 1), metavar="SHARE",
              help="Refuse plans of the model below this confidence.")  # fmt: skip
@click.option("--check", is_flag=True, help="Also run the program in wasmtime and compare.")
@click.option(
    "--engine", default="auto", show_default=True, metavar="|".join(ENGINES),
    help="Engine; oracle and core run without weights.",
)  # fmt: skip
@click.option("--max-steps", type=click.IntRange(1), default=ASK_STEPS, show_default=True,
              metavar="N", help="Step limit (exit code 3).")  # fmt: skip
def ask(
    question: str | None,
    file: str | None,
    explain: bool,
    as_json: bool,
    no_model: bool,
    planner: str | None,
    model: str | None,
    threshold: float | None,
    check: bool,
    engine: str,
    max_steps: int,
) -> int:
    """Answer a QUESTION in words: plan it, compile the plan, run the program on the weights.

    The answer is exact, or there is none. Exit code 4 means that the question was refused, 134
    that the program trapped, 3 that it reached the step limit.
    """
    if (question is None) == (file is None):
        raise click.UsageError("give either a question or --file")
    if no_model and (planner or model):
        raise click.UsageError("--no-model excludes --planner and --model")
    how: dict[str, Any] = {
        "planner": endpoint(model) if model else planner,
        "model": not no_model,
        "engine": engine,
        "max_steps": max_steps,
        "threshold": threshold,
        "check": check,
    }
    if question is not None:
        with Ticker() as ticker:
            answer = api.ask(question, pulse=ticker.pulse, **how)
        return _show(answer, explain, as_json)
    return _many(_questions(file or "-"), how, explain, as_json)


def _questions(file: str) -> list[str]:
    try:
        with click.open_file(file, encoding="utf-8") as stream:
            lines = stream.read().splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "not UTF-8 text"
        raise UsageError(f"{file}: {reason}") from None
    return [line for line in lines if line.strip()]


def _many(questions: list[str], how: dict[str, Any], explain: bool, as_json: bool) -> int:
    codes = set()
    for question in _progress(questions):
        try:
            codes.add(_show(api.ask(question, **how), explain, as_json, alone=False))
        except MissingWeights as missing:
            refused = Answer(question, abstained=True, reason=str(missing))
            codes.add(_show(refused, explain, as_json, alone=False))
        except StepLimitError as limit:
            codes.add(STOPPED)
            answer = Answer(question, abstained=True, reason=str(limit))
            click.echo(json.dumps(answer.as_json()) if as_json else f"stopped: {limit}")
    return next((code for code in _WORST if code in codes), 0)


def _progress(questions: list[str]) -> Iterator[str]:
    """Yield the questions, with a progress bar on a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield from questions
        return
    with Progress(console=console, transient=True) as progress:
        yield from progress.track(questions, description="asking")


def _show(answer: Answer, explain: bool, as_json: bool, alone: bool = True) -> int:
    """Print the answer, or the reason for the refusal; return the exit code."""
    if as_json:
        click.echo(json.dumps(answer.as_json()))
    elif explain:
        click.echo("\n".join(_explained(answer)))
    elif answer.answer is not None:
        click.echo(answer.answer)
        if sys.stdout.isatty():
            click.secho(f"  {_origin(answer)}", dim=True)
    trapped = answer.result is not None and answer.result.trap is not None
    if answer.answer is None and not as_json:
        outcome = "trap" if trapped else "abstained"
        if alone:
            click.echo(f"transputer: {outcome}: {answer.reason}", err=True)
        else:
            click.echo(f"{outcome}: {answer.reason}")
    sys.stdout.flush()
    return TRAPPED if trapped else ABSTAINED if answer.abstained else 0


def _origin(answer: Answer) -> str:
    """Return the plan in words, who read it, the confidence, and a close second plan."""
    unit = f" ({answer.form})" if answer.form not in ("", "date", "time") else ""
    parts = [f"{answer.words}{unit}", f"read by {_READERS.get(answer.planner, answer.planner)}"]
    if answer.planner != "rules" and answer.confidence is not None:
        parts.append(f"confidence {answer.confidence:.2f}")
    if answer.second is not None:
        parts.append(f"or: {answer.second[0]} ({answer.second[1]:.2f})")
    return " · ".join(parts)


_READERS = {"rules": "the rules", "embedded": "the embedded model", "both": "both models"}
_ROW = 24


def _explained(answer: Answer) -> Iterator[str]:
    """Yield the lines of `--explain`: every stage in order."""
    steps = [] if answer.result is None else first_steps(answer, engine=answer.result.engine)
    numbers = [f"N{i} = {n.text}" for i, n in enumerate(answer.numbers)]
    yield f"numbers     {', '.join(numbers) or 'none'}"
    if answer.plan is None or answer.compiled is None:
        return
    yield "plan        " + (answer.line or "").replace("\n", "\n            ")
    yield f"tokens      {' '.join(answer.plan.tokens)}"
    sure = "not stated" if answer.confidence is None else f"{answer.confidence:.2f}"
    yield f"words       {answer.words}"
    yield f"planner     {answer.planner}, confidence {sure}"
    if answer.second is not None:
        yield f"second      {answer.second[0]}, confidence {answer.second[1]:.2f}"
    yield f"program     {len(answer.compiled.wasm):,} bytes of WebAssembly"
    yield from (f"  {line}" for line in answer.compiled.wat.rstrip().splitlines())
    wasm = answer.compiled.wasm
    yield "bytes"
    for at in range(0, len(wasm), _ROW):
        yield f"  {wasm[at : at + _ROW].hex(' ')}"
    if answer.result is not None:
        run = answer.result
        yield f"ran         {run.steps:,} steps, {run.instructions:,} instructions, {run.engine}"
        yield "trace       the first steps"
        yield from (f"  {instruction:24} {says}" for instruction, says in steps)
    if answer.answer is not None:
        yield f"answer      {answer.answer}"
