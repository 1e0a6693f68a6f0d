"""The prompt of a run: what the host appends before anything is decoded."""

from collections.abc import Callable, Sequence

from transputer.model import Token
from transputer.runtime.trace.program import TraceProgram
from transputer.runtime.trace.run import run_session
from transputer.runtime.trace.sessions import MachineSession


class Complete(Exception):
    """The host wants the first step."""


class Listener:
    """An engine that only listens."""

    def __init__(self) -> None:
        self.tokens: list[Token] = []

    def append(self, token: Token) -> None:
        self.tokens.append(token)

    def step(self) -> Token:
        raise Complete


def heard(act: Callable[[Listener], object]) -> list[Token]:
    """What an engine hears until it is to decode something."""
    listener = Listener()
    try:
        act(listener)
    except Complete:
        return listener.tokens
    raise AssertionError("it decodes nothing")


def prompt(program: TraceProgram, invoke: str, args: Sequence[int]) -> list[Token]:
    """The prompt of a program whose function is invoked."""
    return heard(
        lambda engine: run_session(program, MachineSession(engine, max_steps=1), invoke, [*args])
    )
