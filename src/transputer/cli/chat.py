"""`transputer chat`."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from transputer import api
from transputer.errors import UsageError
from transputer.runtime.chat import HOW, MAX_TOKENS, ChatAnswer, Conversation, FoldedRuns
from transputer.runtime.chat_view import ChatView
from transputer.studio.export import write_recorded

VARIABLE = "TRANSPUTER_CHAT"
COMMANDS = """/open  show the programs and the machine's steps of the last answer
/quit  end"""


@click.command(epilog="\b\nTry:\n  transputer chat --model FOLDER 'What is 12 times 34?'")
@click.argument("questions", nargs=-1, metavar="[QUESTION]...")
@click.option("--model", "folder", envvar=VARIABLE, metavar="FOLDER",
              help=f"The model's folder; default: {VARIABLE}.")  # fmt: skip
@click.option("--open", "opened", is_flag=True, help="Show every step of the machine.")
@click.option("--keep", is_flag=True,
              help="Keep earlier questions and answers in the context.")  # fmt: skip
@click.option("--max-tokens", default=MAX_TOKENS, show_default=True, metavar="N",
              help="Token limit of an answer, machine steps included (exit code 3).")  # fmt: skip
@click.option("--studio", "site", type=click.Path(path_type=Path), metavar="DIR",
              help="Also write the answers as a page: tokens, arcs of attention.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per question instead.")
def chat(
    questions: tuple[str, ...],
    folder: str | None,
    opened: bool,
    keep: bool,
    max_tokens: int,
    site: Path | None,
    as_json: bool,
) -> None:
    """Talk to a language model with the computer inside.

    The model writes a program into its answer and executes it by its own forward passes. The
    program is guessed; its execution is exact. Between ⟨ and ⟩ stands the program and the number
    of the machine's steps. Without a QUESTION, questions are read line by line; /open shows the
    steps of the last answer, /quit ends.
    """
    if folder is None:
        raise UsageError(f"chat: no model; give --model FOLDER or set {VARIABLE}; {HOW}")
    conversation = api.chat(folder, max_tokens=max_tokens)
    answer: ChatAnswer | None = None
    recordings: list[dict[str, Any]] = []
    for line in iter(questions) if questions else _lines():
        if line == "/quit":
            break
        if line == "/open":
            _list(conversation, answer)
            continue
        if line.startswith("/"):
            click.echo(COMMANDS, err=True)
            continue
        if not keep:
            conversation.restart()
        if as_json:
            answer = conversation.ask(line, recorded=site is not None)
            click.echo(json.dumps(answer.as_json()))
        else:
            answer = _answer(conversation, line, opened, recorded=site is not None)
        if site is not None:
            recordings.append(ChatView(conversation, answer).recorded())
    if site is not None and recordings:
        click.echo(write_recorded(site, recordings), err=True)


def _lines() -> Iterator[str]:
    """Yield lines of standard input that are not empty; with a prompt on a terminal."""
    terminal = sys.stdin.isatty()
    while True:
        if terminal:
            click.echo("> ", nl=False)
        try:
            line = sys.stdin.readline()
        except UnicodeDecodeError:
            raise UsageError("standard input: not UTF-8 text") from None
        if not line:
            return
        if line := line.strip():
            yield line


def _answer(conversation: Conversation, question: str, opened: bool, recorded: bool) -> ChatAnswer:
    """Stream an answer, every run folded into one line."""
    folded = FoldedRuns(live=sys.stdout.isatty())
    answer = conversation.ask(
        question, lambda event: click.echo(folded.put(event), nl=False), recorded
    )
    click.echo()
    if opened:
        _list(conversation, answer)
    return answer


def _list(conversation: Conversation, answer: ChatAnswer | None) -> None:
    for line in conversation.listing(answer) if answer else ():
        click.secho(line, dim=True)
