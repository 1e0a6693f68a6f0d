"""`transputer help`: the commands, and topics that no single command explains."""

from collections.abc import Callable
from difflib import get_close_matches

import click

from transputer.errors import UsageError
from transputer.registry import machines

ARGUMENTS = """Options and arguments

  transputer run [OPTIONS] FILE [OPTIONS] [ARGS] [-- ARGS]

Options may stand before or after FILE. A word that begins with a dash is an option; one that does
not exist is a mistake, wherever it stands. Numbers such as -3 and -inf are arguments. Everything
after -- belongs to the program, dashes included:

  transputer run prog.c 10 -- --verbose -n

C files directly after a C file are compiled with it. Flags of the C compiler other than -I, -D and
-O go into --cflags:

  transputer run main.c more.c --cflags '-Wall -fwrapv' 10
"""

EXIT_CODES = """Exit codes

  0    success; an invoked function returned
  N    the program's own exit code, for a program with main
  1    a check failed (audit, bench, diff, fuzz, learn, map, prove, spec)
  2    a mistake in the command or in the source
  3    a limit was reached: steps, context, memory, bounds of the machine
  4    `ask` abstained
  70   an error in transputer itself
  74   the output cannot be written, for example because the disk is full
  130  interrupted with Ctrl-C
  134  the program trapped
  141  the reader of the output closed the pipe
"""

JSON = """JSON

--json prints JSON on standard output, whatever happens. `run --json` prints one object:

  results        values of the invoked function, or of the stack of an assembly program
  stdout         the program's output; if it is not UTF-8, stdout_base64 has its bytes, too
  exit_code      as the command exits
  trap           the trap's message, or null
  where          only after a trap: the open calls, innermost first, with function, file, line,
                 column and the text of the line
  steps          forward passes
  instructions   executed instructions of the program as written
  machine, engine, seconds (of execution), lookups
  trace_sha256   hash of all decoded tokens; null without weights, and where lifted code reached
                 --max-steps

A failure prints an object with `error` and `exit_code` instead. `error` has `kind` (the name of
the Python exception), `message`, and the `file`, `line` and `column` of a mistake in a source.
"""


def _files() -> str:
    rows = ["Files", ""]
    for machine in machines():
        rows.append(f"  --machine {machine.name}")
        rows += [f"    {kind:14}{name}" for kind, name in machine.kinds.items()]
    return "\n".join(rows) + "\n"


def _machines() -> str:
    rows = ["Machines", ""]
    for machine in machines():
        verbs = [verb for verb in machine.abilities if verb not in ("view", "prepare", "rows")]
        rows.append(f"  {machine.name:8}{machine.doc}")
        rows.append(f"  {'':8}verbs: {', '.join(verbs)}")
    return "\n".join(rows) + "\n"


def _engines() -> str:
    rows = [
        "Engines",
        "",
        "  Engines of a machine take the same steps. The first is the default.",
        "",
    ]
    for machine in machines():
        for verb in ("run", "debug"):
            if verb in machine.abilities:
                names = ", ".join(machine.abilities[verb].engines)
                rows.append(f"  {verb:7}--machine {machine.name:7}{names}")
    return "\n".join(rows) + "\n"


#: Topics: the line in the list, and the text.
TOPICS: dict[str, tuple[str, Callable[[], str]]] = {
    "arguments": ("Where options, arguments and -- go.", lambda: ARGUMENTS),
    "engines": ("Engines of each machine.", _engines),
    "exit-codes": ("Exit codes of all commands.", lambda: EXIT_CODES),
    "files": ("Kinds of files that each machine takes.", _files),
    "json": ("Fields of JSON output and of failures.", lambda: JSON),
    "machines": ("The machines and what each can do.", _machines),
}


@click.command("help")
@click.argument("topic", required=False)
@click.pass_context
def help_(context: click.Context, topic: str | None) -> None:
    """Explain a command or a topic.

    Without TOPIC, lists both.
    """
    parent = context.parent
    assert parent is not None and isinstance(parent.command, click.Group)
    group = parent.command
    if topic is None:
        click.echo(group.get_help(parent))
        click.echo("\nTopics (transputer help TOPIC):")
        for name, (line, _) in TOPICS.items():
            click.echo(f"  {name:12}{line}")
        return
    if topic in TOPICS:
        click.echo(TOPICS[topic][1](), nl=False)
        return
    command = group.get_command(parent, topic)
    if command is None:
        known = [*TOPICS, *group.list_commands(parent)]
        close = get_close_matches(topic, known, 1)
        hint = f"did you mean {close[0]!r}?" if close else f"topics: {', '.join(TOPICS)}"
        raise UsageError(f"no help on {topic!r}; {hint}")
    with click.Context(command, info_name=topic, parent=parent) as own:
        click.echo(command.get_help(own))
