"""`transputer chat`."""

import json
import sys
from collections.abc import Iterator

import click

from transputer import api
from transputer.errors import UsageError
from transputer.runtime.chat import HOW, MAX_TOKENS, ChatAnswer, Conversation, FoldedRuns

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
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per question instead.")
def chat(
    questions: tuple[str, ...],
    folder: str | None,
    opened: bool,
    keep: bool,
    max_tokens: int,
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
            click.echo(json.dumps(conversation.ask(line).as_json()))
        else:
            answer = _answer(conversation, line, opened)


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


def _answer(conversation: Conversation, question: str, opened: bool) -> ChatAnswer:
    """Stream an answer, every run folded into one line."""
    folded = FoldedRuns(live=sys.stdout.isatty())
    answer = conversation.ask(question, lambda event: click.echo(folded.put(event), nl=False))
    click.echo()
    if opened:
        _list(conversation, answer)
    return answer


def _list(conversation: Conversation, answer: ChatAnswer | None) -> None:
    for line in conversation.listing(answer) if answer else ():
        click.secho(line, dim=True)
