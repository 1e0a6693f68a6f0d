"""Long runs: checkpoints, interruption, resumption."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import ref

from transputer.engines.native.decoder import Sha256
from transputer.errors import UsageError
from transputer.frontends.source import PathLike
from transputer.host.outcome import CallOutcome, Pulse
from transputer.machines.trace.tape import WIDTH
from transputer.model import cached_digest
from transputer.runtime.trace.sessions import GROWING, AnySession, MachineSession

if TYPE_CHECKING:  # most runs have no checkpoints
    from transputer.machines.trace.checkpoint import Checkpoint

#: The interval between checkpoints is at least EVERY seconds, and SHARE times the last save.
EVERY = 60.0
SHARE = 20.0


def tape_options(
    keep: bool, checkpoint: PathLike | None, resume: PathLike | None, max_steps: int
) -> dict[str, Any]:
    """Return the options of the tape, which keeps the tokens."""
    options: dict[str, Any] = {"keep": keep}
    if resume is not None:
        from transputer.machines.trace.checkpoint import load

        options["resume"] = load(Path(resume), WIDTH)
        options["keep"] = keep = keep and options["resume"].traced
        done = 0 if options["resume"].traced else options["resume"].stops[-1].steps
        if done >= max_steps:
            raise UsageError(f"{resume}: {done:,} steps are done; give more with --max-steps")
    if checkpoint is not None or resume is not None:
        options["hasher"] = Sha256
    return options


def check(session: AnySession, tape: dict[str, Any], checkpoint: PathLike | None) -> None:
    """Raise `UsageError` if a session does not support these options."""
    resume: Checkpoint | None = tape.get("resume")
    if not isinstance(session, MachineSession):
        if checkpoint is not None or resume is not None:
            raise UsageError(
                f"engine {session.engine} has no tokens, so it cannot save checkpoints"
            )
        return
    if checkpoint is not None and not Path(checkpoint).absolute().parent.is_dir():
        raise UsageError(f"{checkpoint}: no such folder, so no checkpoint can be saved")
    if not tape["keep"] and session.engine in GROWING:
        raise UsageError(
            f"engine {session.engine} keeps the keys and values of every position; a run without "
            f"a trace needs --engine auto or native"
        )
    if resume is not None and resume.model != cached_digest(session.model):
        raise UsageError("the checkpoint belongs to another model")


class CheckpointSaver:
    """Saves checkpoints of one run at intervals, and knows its number of steps."""

    def __init__(self, session: AnySession, path: PathLike | None, pulse: Pulse) -> None:
        self._path, self._pulse = path, pulse
        self._steps = 0
        self._due = time.monotonic() + EVERY
        # The session holds `pulse`: a reference back would keep all tokens until the next
        # collection.
        self._held = ref(session) if isinstance(session, MachineSession) else None
        self._digest = (
            "" if self._machine is None or path is None else cached_digest(self._machine.model)
        )

    @property
    def _machine(self) -> MachineSession | None:
        return None if self._held is None else self._held()

    def pulse(self, steps: int) -> None:
        """Note the number of steps; save a checkpoint if one is due."""
        self._steps = steps
        if self._path is not None and time.monotonic() >= self._due:
            self.save()
        self._pulse(steps)

    def save(self) -> None:
        """Write the checkpoint, if there is a file for it and the run has begun."""
        machine = self._machine
        if self._path is None or machine is None or not self._steps:
            return
        started = time.monotonic()
        executor = machine.trace
        executor.tape.checkpoint(executor.here(), self._digest).save(Path(self._path))
        now = time.monotonic()
        self._due = now + max(EVERY, SHARE * (now - started))

    def partial(self) -> CallOutcome:
        """Return the outcome so far; oracles report no instructions before the end."""
        machine = self._machine
        if machine is None:
            return CallOutcome(steps=self._steps)
        executor = machine.trace
        return CallOutcome(steps=executor.steps, instructions=executor.instructions)
