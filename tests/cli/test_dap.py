"""The Debug Adapter Protocol, driven by the public client library dap-python."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from transputer.cli.dap import Adapter

#: Seconds for one answer; the first launch may have to build the C library.
PATIENCE = 600
PROGRAM = """#include <stdio.h>
struct point { int x, y; };
static int area(struct point *p) {
    int result = p->x * p->y;
    return result;
}
int main(void) {
    struct point p = {6, 7};
    int total = 0;
    for (int i = 0; i < 3; i++)
        total += area(&p) + i;
    printf("%d\\n", total);
    return 10 / (total - 129);
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("dap") / "area.c"
    path.write_text(PROGRAM)
    return path


class Session:
    """The client's bytes to a process and back; `wait` returns the next event of a name."""

    def __init__(self, client: Any) -> None:
        command = [sys.executable, "-m", "transputer", "debug", "--dap"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe)
        self.client = client
        own = client.handler.handle_response
        # dap-python 0.5 cannot parse the responses that have no body
        client.handler.handle_response = lambda r: r if r.body is None else own(r)
        self.seen: list[Any] = []
        self.timer = threading.Timer(PATIENCE, self.process.kill)

    def watch(self) -> None:
        """Give the process PATIENCE seconds from now on: a launch compiles, on a busy machine."""
        self.timer.cancel()
        self.timer = threading.Timer(PATIENCE, self.process.kill)
        self.timer.start()

    def wait(self, name: str) -> Any:
        """Returns the body of the next response or event whose class has this name."""
        assert self.process.stdin and self.process.stdout
        self.watch()
        self.process.stdin.write(self.client.send())
        self.process.stdin.flush()
        while True:
            for i, item in enumerate(self.seen):
                if type(item).__name__ == name:
                    del self.seen[: i + 1]
                    return item
            header = self.process.stdout.readline() + self.process.stdout.readline()
            assert header, f"no {name} before the end; there were {self.seen}"
            length = int(header.split(b":")[1].split()[0])
            self.seen += self.client.receive(header + self.process.stdout.read(length))


@pytest.fixture
def session() -> Iterator[Session]:
    dap = pytest.importorskip("dap", reason="dap-python is not installed")
    session = Session(dap.Client("transputer"))
    yield session
    session.timer.cancel()
    session.process.kill()
    session.process.communicate()


def test_a_session_of_a_public_client(session: Session, program: Path) -> None:
    c = session.client
    assert session.wait("Initialized").supportsStepBack
    c.send_request("launch", {"program": str(program)})
    session.wait("InitializedEvent")
    c.set_breakpoints({"path": str(program)}, [{"line": 11, "condition": "i == 1"}])
    assert session.wait("SetBreakpointsResponse").breakpoints[0].verified
    c.configuration_done()
    assert session.wait("StoppedEvent").reason == "breakpoint"
    c.stack_trace(1)
    (frame,) = session.wait("StackTraceResponse").stackFrames
    assert (frame.name, frame.line) == ("main", 11)
    c.scopes(0)
    scopes = session.wait("ScopesResponse").scopes
    c.variables(scopes[0].variablesReference)
    variables = {v.name: v for v in session.wait("VariablesResponse").variables}
    assert (variables["i"].value, variables["total"].value) == ("1", "42")
    c.variables(variables["p"].variablesReference)
    assert [v.value for v in session.wait("VariablesResponse").variables] == ["6", "7"]
    c.step_in(1)
    session.wait("StoppedEvent")
    c.evaluate("p->x + 1", 0)
    assert session.wait("EvaluateResponse").result == "7"
    c.stack_trace(1)
    assert [f.name for f in session.wait("StackTraceResponse").stackFrames] == ["area", "main"]
    c.step_out(1)
    session.wait("StoppedEvent")
    c.step_back(1)
    session.wait("StoppedEvent")
    c.stack_trace(1)
    assert session.wait("StackTraceResponse").stackFrames[0].line == 11
    c.continue_(1)
    assert session.wait("OutputEvent").output == "129\n"
    assert "area.c:13:15 in main" in session.wait("OutputEvent").output
    assert session.wait("StoppedEvent").reason == "exception"
    c.reverse_continue(1)
    assert session.wait("StoppedEvent").reason == "breakpoint"
    c.evaluate("i", 0)
    assert session.wait("EvaluateResponse").result == "1"
    c.terminate()
    session.wait("TerminatedEvent")
    c.disconnect()
    assert session.process.stdin is not None
    session.process.stdin.write(c.send())
    session.process.stdin.flush()
    assert session.process.wait(PATIENCE) == 0


def requests(program: Path) -> Callable[..., list[dict[str, Any]]]:
    """Returns a function that makes a request and returns the messages of the adapter."""
    sent: list[dict[str, Any]] = []
    adapter = Adapter(sent.append)

    def ask(command: str, **arguments: Any) -> list[dict[str, Any]]:
        del sent[:]
        adapter.handle({"seq": 1, "type": "request", "command": command, "arguments": arguments})
        return json.loads(json.dumps(sent))

    return ask


def test_requests_without_a_client(program: Path) -> None:
    ask = requests(program)
    assert not ask("threads")[0]["body"]["threads"][1:]
    (refused,) = ask("stackTrace")
    assert not refused["success"] and refused["message"] == "no program was launched"
    assert not ask("frob")[0]["success"]
    assert ask("launch", program=str(program), stopOnEntry=True)[1]["event"] == "initialized"
    assert ask("configurationDone")[1]["body"]["reason"] == "entry"
    assert ask("next", granularity="instruction")[1]["body"]["reason"] == "step"
    ask("next")
    (function,) = ask("setFunctionBreakpoints", breakpoints=[{"name": "aera"}])
    (row,) = function["body"]["breakpoints"]
    assert not row["verified"] and row["message"] == "no function 'aera'; did you mean area?"
    info = ask("dataBreakpointInfo", name="total")[0]["body"]
    set_ = ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}])
    assert set_[0]["body"]["breakpoints"] == [{"id": 2, "verified": True}]
    (_, stopped) = ask("continue")
    assert stopped["body"]["reason"] == "data breakpoint"
    assert stopped["body"]["text"] == "Old value = 0\nNew value = 42"
    scopes = ask("scopes", frameId=0)[0]["body"]["scopes"]
    (heads,) = ask("variables", variablesReference=scopes[2]["variablesReference"])
    assert any("instruction" in row["name"] for row in heads["body"]["variables"])
    (wrong,) = ask("evaluate", expression="nothing", frameId=0)
    assert wrong["message"] == "no variable 'nothing' here"
    assert ask("reverseContinue")[1]["body"]["reason"] == "entry"
