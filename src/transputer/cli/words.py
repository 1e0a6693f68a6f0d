"""`transputer bench words`."""

import json
from pathlib import Path

import click
from rich.console import Console

from transputer.check.bench import Report
from transputer.check.bench.constructs import paraphrases
from transputer.check.bench.draw import draw
from transputer.check.bench.word_problems import find_problems
from transputer.check.bench.words import leakage, measure, training_questions
from transputer.cli.tables import show
from transputer.runtime.ask import Planner, default_model, endpoint, load_planner


@click.command("words", short_help="Measure how many word problems are solved.")
@click.option("--planner", metavar="NAME", help="Measure this planner instead of the default.")
@click.option("--model", metavar="NAME", help="Measure a model behind OPENAI_BASE_URL.")
@click.option("--no-model", is_flag=True, help="Measure the rules alone.")
@click.option("--limit", type=int, metavar="N", help="Number of problems from each set.")
@click.option("--count", default=200, show_default=True, metavar="N",
              help="Number of paraphrases of each construct.")  # fmt: skip
@click.option("--training", multiple=True, metavar="FILE",
              help="Search this training file for test problems instead.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
@click.option("--output", metavar="DIR", help="Save the results there as JSON and plots.")
def words(
    planner: str | None,
    model: str | None,
    no_model: bool,
    limit: int | None,
    count: int,
    training: tuple[str, ...],
    as_json: bool,
    output: str | None,
) -> None:
    """Measure how many word problems the rules solve, and how many a model solves.

    TRANSPUTER_WORDS names the folder of published problems. The paraphrases of every construct
    are our own; training never saw them.
    """
    if no_model and (planner or model):
        raise click.UsageError("--no-model excludes --planner and --model")
    if training:
        questions = [question for path in training for question in training_questions(path)]
        reports = [leakage(questions, {**find_problems(), **paraphrases(count)})]
    else:
        subject = None if no_model else _planner(planner, model)
        with Console(stderr=True).status("measuring") as status:
            reports = list(measure(subject, limit=limit, count=count, hear=status.update))
    _save(reports, output)
    if as_json:
        click.echo(json.dumps({report.name: report.as_json() for report in reports}))
    else:
        show(reports[0])


def _planner(planner: str | None, model: str | None) -> Planner:
    if model is not None:
        return endpoint(model)
    return default_model() if planner is None else load_planner(planner)


def _save(reports: list[Report], output: str | None) -> None:
    for report in reports if output is not None else []:
        for path in (report.save(output or "."), draw(report, Path(output or "."))):
            if path is not None:
                click.echo(f"transputer: wrote {path}", err=True)
