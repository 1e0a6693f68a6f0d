"""`transputer debug --dap`: the Debug Adapter Protocol on standard input and output.

An editor starts this as its debug adapter. The program runs to its end and is recorded when it is
launched; every request then moves in the recording, forwards or backwards.
"""

import json
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import PurePath
from typing import Any, BinaryIO

from transputer import api
from transputer.cli.start import start_at
from transputer.debugger import motion
from transputer.debugger.cursor import Breakpoint
from transputer.debugger.debugger import Debugger
from transputer.debugger.expressions import CValue, evaluate, text_of
from transputer.errors import TransputerError, UsageError
from transputer.host.outcome import quiet
from transputer.host.place import CallPlace
from transputer.runtime.trace.debug import TraceDebugger
from transputer.runtime.trace.scope import OPTIMISED_OUT, CallScope
from transputer.values import dataclass

Json = dict[str, Any]
#: Number of children of a variable that are sent.
_CHILDREN = 200
_THREAD = 1
_CAPABILITIES = {
    "supportsConfigurationDoneRequest": True,
    "supportsFunctionBreakpoints": True,
    "supportsConditionalBreakpoints": True,
    "supportsStepBack": True,
    "supportsEvaluateForHovers": True,
    "supportsTerminateRequest": True,
    "supportsDataBreakpoints": True,
    "supportsSteppingGranularity": True,
}
_MOVES: dict[str, tuple[motion.Move, motion.Move]] = {  # by lines, and by instructions
    "next": (motion.next_line, motion.next_instruction),
    "stepIn": (motion.step_line, lambda d, pulse: _by(d, 1)),
    "stepOut": (motion.finish, motion.finish),
    "stepBack": (motion.back_line, lambda d, pulse: _by(d, -1)),
    "continue": (lambda d, pulse: d.forward(None, pulse),) * 2,
    "reverseContinue": (lambda d, pulse: d.backward(None, pulse),) * 2,
}


def _by(d: Debugger, steps: int) -> Breakpoint | None:
    d.go(max(1, min(d.steps + 1, d.cursor + steps)))
    return None


@dataclass(frozen=True, slots=True)
class _Point:
    """A breakpoint that a request set, and the kind of request."""

    kind: str
    point: Breakpoint


class Adapter:
    """One debug session; `send` takes the messages for the client."""

    def __init__(self, send: Callable[[Json], None]) -> None:
        self._send = send
        self._sequence = 0
        self._debugger: TraceDebugger | None = None
        self._launched: Json = {}
        self._start = 1
        self._printed = self._last = 0
        self._points: list[_Point] = []
        self._children: list[Callable[[], Iterator[Json]]] = []
        self.done = False

    @property
    def debugger(self) -> TraceDebugger:
        """The recorded run; raises `UsageError` before the launch."""
        if self._debugger is None:
            raise UsageError("no program was launched")
        return self._debugger

    # Messages

    def handle(self, request: Json) -> None:
        """Answer one request."""
        command = str(request.get("command", ""))
        rule = getattr(self, f"_on_{command}", None)
        answer: Json = {"type": "response", "request_seq": request.get("seq", 0),
                        "command": command, "success": True}  # fmt: skip
        after: list[Callable[[], None]] = []
        try:
            if rule is None and command not in _MOVES:
                raise UsageError(f"no request {command!r}")
            arguments = request.get("arguments") or {}
            body = rule(arguments, after) if rule else self._on_move(command, arguments, after)
            if body is not None:
                answer["body"] = body
        except TransputerError as problem:
            answer |= {"success": False, "message": str(problem)}
        self._write(answer)
        for action in after:
            action()

    def _write(self, message: Json) -> None:
        self._sequence += 1
        self._send({"seq": self._sequence, **message})

    def _event(self, name: str, **body: Any) -> None:
        self._write({"type": "event", "event": name, "body": body})

    # Life

    def _on_initialize(self, arguments: Json, after: list[Callable[[], None]]) -> Json:
        return _CAPABILITIES

    def _on_launch(self, arguments: Json, after: list[Callable[[], None]]) -> None:
        path = arguments.get("program")
        if not path:
            raise UsageError("the launch configuration names no `program`")
        is_c = str(path).lower().endswith(".c")
        opt = f"-O{arguments.get('opt', '0')}" if is_c else None
        program = api.compile(path, opt=opt)
        text = str(arguments.get("stdin", "")).encode()
        debugger = program.debug(arguments.get("invoke"), arguments.get("args") or (), stdin=text)
        if not isinstance(debugger, TraceDebugger):
            raise UsageError("the Debug Adapter Protocol is for the trace machine")
        self._debugger, self._launched = debugger, arguments
        start_at(debugger, arguments.get("invoke"))
        self._start = debugger.cursor
        after.append(lambda: self._event("initialized"))

    def _on_configurationDone(self, arguments: Json, after: list[Callable[[], None]]) -> None:
        if self._launched.get("stopOnEntry"):
            after.append(lambda: self._stopped("entry"))
            return
        self.debugger.go(1)
        first = next((b for b in self.debugger.breaks if self.debugger.holds(b.test)), None)
        after.append(lambda: self._arrive(first or self.debugger.forward(None, quiet), "continue"))

    def _on_disconnect(self, arguments: Json, after: list[Callable[[], None]]) -> None:
        self.done = True

    def _on_terminate(self, arguments: Json, after: list[Callable[[], None]]) -> None:
        after.append(lambda: self._event("terminated"))

    def _on_threads(self, arguments: Json, after: list[Callable[[], None]]) -> Json:
        return {"threads": [{"id": _THREAD, "name": "main"}]}

    # Breakpoints

    def _on_setBreakpoints(self, arguments: Json, after: list[Callable[[], None]]) -> Json:
        file = PurePath(arguments["source"].get("path") or arguments["source"]["name"]).name
        wanted = arguments.get("breakpoints") or []
        return self._set(f"line {file}", wanted, lambda b: self.debugger.at_line(b["line"], file))

    def _on_setFunctionBreakpoints(self, arguments: Json, after: list[Callable[[], None]]) -> Json:
        wanted = arguments.get("breakpoints") or []
        return self._set("function", wanted, lambda b: self.debugger.at_function(b["name"]))

    def _on_setExceptionBreakpoints(self, arguments: Json, after: list[Callable[[], None]]) -> Json:
        return {"breakpoints": []}

    def _on_dataBreakpointInfo(self, arguments: Json, after: list[Callable[[], None]]) -> Json:
        name = arguments["name"]
        return {"dataId": name, "description": name, "accessTypes": ["write"]}

    def _on_setDataBreakpoints(self, arguments: Json, after: list[Callable[[], None]]) -> Json:
        wanted = arguments.get("breakpoints") or []
        return self._set("data", wanted, lambda b: self.debugger.at_variable(b["dataId"]))

    def _set(self, kind: str, wanted: list[Json], make: Callable[[Json], Breakpoint]) -> Json:
        """Replace the breakpoints of a kind; return what became of each."""
        self._points = [p for p in self._points if p.kind != kind]
        rows: list[Json] = []
        for item in wanted:
            try:
                point = self._conditional(make(item), str(item.get("condition") or ""))
            except UsageError as problem:
                rows.append({"id": self._number(), "verified": False, "message": str(problem)})
                continue
            self._points.append(_Point(kind, point))
            place = {"line": item["line"]} if "line" in item else {}
            rows.append({"id": self._number(), "verified": True, **place})
        self.debugger.breaks[:] = [p.point for p in self._points]
        return {"breakpoints": rows}

    def _number(self) -> int:
        """Return the number of a new breakpoint."""
        self._last += 1
        return self._last

    def _conditional(self, point: Breakpoint, condition: str) -> Breakpoint:
        if not condition:
            return point
        own = point.holds

        def holds() -> bool:
            if own is not None and not own():
                return False
            try:
                return bool(self.debugger.evaluate(condition).number)
            except UsageError:
                return True

        return replace(point, holds=holds, condition=condition)

    # Moves

    def _on_move(
        self, command: str, arguments: Json, after: list[Callable[[], None]]
    ) -> Json | None:
        exact = arguments.get("granularity") == "instruction"
        move = _MOVES[command][exact]
        after.append(lambda: self._arrive(move(self.debugger, quiet), command))
        return {"allThreadsContinued": True} if command == "continue" else None

    def _arrive(self, hit: Breakpoint | None, command: str) -> None:
        """Tell the client where a move has ended."""
        d = self.debugger
        back = command in ("stepBack", "reverseContinue")
        if back and d.cursor == 1:
            d.go(self._start)
        if not back:
            self._show_output()
        if d.cursor > d.steps and not back:
            self._end()
        elif hit is not None:
            reason = "breakpoint" if hit.told is None else "data breakpoint"
            self._stopped(reason, hit.told() if hit.told else hit.name)
        else:
            self._stopped("entry" if back and d.cursor == self._start else "step")

    def _show_output(self) -> None:
        output = self.debugger.output()
        if len(output) > self._printed:
            text = output[self._printed :].decode("utf-8", "replace")
            self._printed = len(output)
            self._event("output", category="stdout", output=text)

    def _end(self) -> None:
        result = self.debugger.result
        if result is not None and result.trap is not None:
            self._event("output", category="stderr", output=f"trap: {result.cause}\n")
            self.debugger.go(self.debugger.steps)
            self._stopped("exception", result.trap.value)
        if result is None or result.trap is None or self._launched.get("stopAtEnd") is False:
            self._event("exited", exitCode=result.exit_code if result else 3)
            self._event("terminated")

    def _stopped(self, reason: str, text: str = "") -> None:
        self._children.clear()
        more = {"description": text, "text": text} if text else {}
        self._event("stopped", reason=reason, threadId=_THREAD, allThreadsStopped=True, **more)

    # Looking

    def _on_stackTrace(self, arguments: Json, after: list[Callable[[], None]]) -> Json:
        places = self.debugger.call_places()
        frames = [_frame(i, place) for i, (_, place) in enumerate(places)]
        first = arguments.get("startFrame") or 0
        count = arguments.get("levels") or len(frames)
        return {"stackFrames": frames[first : first + count], "totalFrames": len(frames)}

    def _scope(self, frame: int) -> CallScope:
        places = self.debugger.call_places()
        if not 0 <= frame < len(places):
            raise UsageError(f"no frame {frame}")
        return self.debugger.scope(places[frame][0])

    def _on_scopes(self, arguments: Json, after: list[Callable[[], None]]) -> Json:
        scope = self._scope(arguments["frameId"])
        rows = [("Locals", lambda: self._named(scope, True)),
                ("Globals", lambda: self._named(scope, False)),
                ("Heads", self._heads)]  # fmt: skip
        return {
            "scopes": [
                {"name": name, "variablesReference": self._reference(read), "expensive": i > 0}
                for i, (name, read) in enumerate(rows)
            ]
        }

    def _reference(self, read: Callable[[], Iterator[Json]]) -> int:
        self._children.append(read)
        return len(self._children)

    def _on_variables(self, arguments: Json, after: list[Callable[[], None]]) -> Json:
        number = arguments["variablesReference"]
        if not 1 <= number <= len(self._children):
            raise UsageError("the variable belongs to an earlier stop")
        return {"variables": list(self._children[number - 1]())}

    def _named(self, scope: CallScope, local: bool) -> Iterator[Json]:
        for variable, own in scope.variables():
            if own is local:
                yield self._variable(variable.name, scope.value(variable), scope)

    def _heads(self) -> Iterator[Json]:
        for read in self.debugger.reads():
            margin = "alone" if math.isinf(read.margin) else f"by {read.margin:,.0f}"
            value = f"token {read.position}: {read.says} ({margin})"
            yield {"name": f"layer {read.layer} {read.head}", "value": value,
                   "variablesReference": 0}  # fmt: skip

    def _variable(self, name: str, value: CValue | None, scope: CallScope) -> Json:
        if value is None:
            return {"name": name, "value": OPTIMISED_OUT, "variablesReference": 0}
        has_parts = value.type.kind in ("structure", "union", "array", "pointer")
        if value.type.kind == "pointer":
            has_parts = bool(value.number) and value.type.element.size > 0
        reference = self._reference(lambda: self._parts(value, scope)) if has_parts else 0
        text = text_of(value, scope)
        return {"name": name, "value": text, "type": value.type.name, "evaluateName": name,
                "variablesReference": reference}  # fmt: skip

    def _parts(self, value: CValue, scope: CallScope) -> Iterator[Json]:
        """Yield the members, elements or target of a value."""
        type_ = value.type
        if type_.kind == "pointer":
            target, address = type_.element, int(value.number)
            inner = CValue(target, scope.read(address, target.size), address)
            yield self._variable("*", inner, scope)
            return
        if type_.kind == "array":
            element = type_.element
            count = min(_CHILDREN, type_.size // max(1, element.size))
            for i in range(count):
                at = i * element.size
                part = CValue(element, value.data[at : at + element.size], _moved(value, at))
                yield self._variable(f"[{i}]", part, scope)
            return
        for member in type_.members:
            part = CValue(member.type, member.cut(value.data), _moved(value, member.offset))
            yield self._variable(member.name, part, scope)

    def _on_evaluate(self, arguments: Json, after: list[Callable[[], None]]) -> Json:
        scope = self._scope(arguments.get("frameId") or 0)
        row = self._variable("", evaluate(arguments["expression"], scope), scope)
        return {"result": row["value"], "type": row.get("type", ""),
                "variablesReference": row["variablesReference"]}  # fmt: skip


def _moved(value: CValue, offset: int) -> int | None:
    """Return the address `offset` bytes into a value; None if it is not in memory."""
    return None if value.address is None else value.address + offset


def _frame(number: int, place: CallPlace) -> Json:
    source = {"source": {"name": PurePath(place.file).name, "path": place.file}}
    return {"id": number, "name": place.function, "line": place.line, "column": place.column,
            **(source if place.file else {})}  # fmt: skip


def serve(read: BinaryIO, write: BinaryIO) -> None:
    """Answer requests until the client disconnects or closes the stream."""

    def send(message: Json) -> None:
        data = json.dumps(message).encode()
        write.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        write.flush()

    adapter = Adapter(send)
    while not adapter.done:
        length = 0
        while (line := read.readline()) not in (b"\r\n", b"\n"):
            if not line:
                return
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length":
                length = int(value)
        adapter.handle(json.loads(read.read(length)))


def serve_here() -> None:
    """Serve on standard input and output; nothing else may write to the latter."""
    write = sys.stdout.buffer
    sys.stdout = sys.stderr
    serve(sys.stdin.buffer, write)
