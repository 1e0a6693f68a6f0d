"""Calls of tools: checked, run in worker processes, a few at a time."""

import asyncio
import json
import secrets
from collections import OrderedDict
from contextlib import suppress
from typing import Any

from transputer.serve import worker
from transputer.serve.limits import ServeLimits
from transputer.serve.tools import TOOLS, ToolError, studio_work
from transputer.studio.runs import context

Json = dict[str, Any]
#: The largest answer of a worker, in bytes.
_LARGEST = 16 << 20


class Calls:
    """Runs calls. `works` are the runs that the studio can open, by their secret names."""

    def __init__(self, limits: ServeLimits, studio: str = "") -> None:
        self.limits = limits
        self.studio = studio  # address of the studio, "" if there is none
        self.works: OrderedDict[str, Json] = OrderedDict()
        self._processes = context()
        self._turn = asyncio.Semaphore(limits.calls)
        self._waiting = 0

    async def call(self, name: str, arguments: object) -> Json:
        """Return a tool's answer; raise `ToolError` if there is none."""
        if name not in TOOLS:
            raise ToolError(f"there is no tool {name[:40]!r}", 404)
        call = TOOLS[name].checked(arguments, self.limits)
        if self._waiting >= self.limits.waiting:
            raise ToolError("too many calls are waiting; try again later", 429)
        self._waiting += 1
        try:
            async with self._turn:
                answer = await self._run(name, call)
        finally:
            self._waiting -= 1
        return {**answer, "studio": self._link(studio_work(name, call, answer))}

    async def _run(self, name: str, call: Json) -> Json:
        """Run a call in a process; end it after its time."""
        ours, theirs = self._processes.Pipe(duplex=False)
        process = self._processes.Process(
            target=worker.main, args=(theirs, name, call, self.limits), daemon=True
        )
        await asyncio.to_thread(process.start)
        theirs.close()
        try:
            message = await asyncio.to_thread(_received, ours, self.limits.seconds)
        finally:
            with suppress(OSError, ValueError, AttributeError):
                process.kill()
            await asyncio.to_thread(process.join)
            ours.close()
        if "problem" in message:
            raise ToolError(message["problem"], 422)
        answer: Json = message["answer"]
        return answer

    def _link(self, work: Json | None) -> str | None:
        """Return the address that opens a run in the studio."""
        if work is None or not self.studio:
            return None
        name = secrets.token_urlsafe(18)
        self.works[name] = work
        while len(self.works) > self.limits.links:
            self.works.popitem(last=False)
        return f"{self.studio}open/{name}"


def _received(connection: Any, seconds: float) -> Json:
    """Wait for a worker's message."""
    if not connection.poll(seconds):
        return {"problem": f"the call took longer than {seconds:g} s"}
    try:
        message: Json = json.loads(connection.recv_bytes(_LARGEST))
    except (EOFError, OSError, ValueError):
        return {"problem": "the call ended unexpectedly, out of memory or of time"}
    return message
