"""`transputer serve`: the SDK's own client, the tool endpoint, and hostile input."""

import asyncio
import json
import math
import os
import sys
import traceback
from pathlib import Path
from urllib.parse import urlsplit

import pytest

mcp = pytest.importorskip("mcp")
httpx = pytest.importorskip("httpx2")

from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402

from tests.serve.conftest import SMALL  # noqa: E402
from transputer.engines.lifted.decoder import HASTY, Pace, set_pace  # noqa: E402
from transputer.serve.tools import TOOLS  # noqa: E402

GCD = """
int gcd(int a, int b) { while (b) { int t = a % b; a = b; b = t; } return a; }
"""
SUM = """
int sum(int n) { int x = 0; for (volatile int i = 0; i < n; i++) x += i; return x; }
"""
FOREVER = '(module (func (export "f") loop br 0 end))'


def with_client(server, work, token=None):
    """Run `work` with the SDK's client, connected to a server."""

    async def main():
        headers = {"Authorization": f"Bearer {token or server.token}"}
        async with httpx.AsyncClient(headers=headers, timeout=60) as http:
            transport = streamable_http_client(server.mcp, http_client=http)
            async with mcp.Client(transport) as client:
                return await work(client)

    return asyncio.run(main())


def content(result):
    return json.loads(result.content[0].text)


def test_the_tools_are_listed(server):
    async def work(client):
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in with_client(server, work)}
    assert set(tools) == set(TOOLS) == {"run", "calculate", "ask", "verify"}
    for name, tool in tools.items():
        assert tool.description == TOOLS[name].doc
        assert set(tool.input_schema["properties"]) == set(TOOLS[name].properties)
        assert set(tool.input_schema["required"]) == set(TOOLS[name].required)


def test_calls_through_mcp(server):
    async def work(client):
        power = await client.call_tool("calculate", {"plan": "2**100"})
        asked = await client.call_tool("ask", {"question": "100!"})
        ran = await client.call_tool("run", {"program": GCD, "invoke": "gcd", "args": ["48", "36"]})
        return power, asked, ran

    power, asked, ran = with_client(server, work)
    assert not power.is_error and content(power)["answer"] == str(2**100)
    assert content(asked)["value"]["numerator"] == str(math.factorial(100))
    found = content(ran)
    assert found["results"] == [12] and found["steps"] > 0 and len(found["trace_sha256"]) == 64


def test_errors_through_mcp(server):
    async def work(client):
        return [
            await client.call_tool("calculate", {"plan": "import os"}),
            await client.call_tool("run", {"program": "int f( {"}),
            await client.call_tool("run", {"program": GCD, "language": "cobol"}),
            await client.call_tool("ask", {"question": "x" * 10_000}),
        ]

    results = with_client(server, work)
    assert all(result.is_error for result in results)
    texts = [result.content[0].text for result in results]
    assert "not part of the plan language" in texts[0] and "program.c" in texts[1]
    assert "'language' must be one of" in texts[2] and "at most" in texts[3]


def test_a_refused_question_is_an_answer_that_says_why(server):
    found = server.call("ask", question="There are 26 sheep on a ship. How old is the captain?")
    assert found["abstained"] and found["answer"] is None and found["reason"]
    assert found["studio"] is None


def test_limits(server):
    found = server.call("run", program=FOREVER, language="wat", invoke="f")
    assert "step limit" in found["error"]
    found = server.call("calculate", plan="x = 1\nwhile x > 0:\n    x = x + 1\nreturn x")
    assert "step limit" in found["error"]


def test_verify(server):
    program = {"program": GCD, "invoke": "gcd", "args": ["48", "36"]}
    ran = server.call("run", **program)
    assert server.call("verify", **program, trace_sha256=ran["trace_sha256"])["equal"] is True
    assert server.call("verify", **program, trace_sha256="0" * 64)["equal"] is False


def test_runs_in_lifted_code_have_their_hash(server):
    call = {"program": SUM, "language": "c", "invoke": "sum", "args": ["500"], "stdin": ""}
    ran = server.call("run", **call)
    set_pace(HASTY)
    try:
        lifted = TOOLS["verify"].function({**call, "trace_sha256": ran["trace_sha256"]}, SMALL)
    finally:
        set_pace(Pace())
    assert lifted["equal"] and (ran["engine"], lifted["engine"]) == ("native", "lifted")


@pytest.mark.parametrize("token", ["", "wrong", "Bearer", "é"])
def test_a_wrong_token_gets_nothing(server, token):
    path = "/v1/tools"
    connection = server.send("GET", path, token=token.encode().decode("latin-1"))
    assert connection[0] == 401 and b"tools" not in connection[1].replace(b"needs the token", b"")
    assert server.send("POST", "/mcp", {}, token="wrong")[0] == 401


def test_the_sdks_client_with_a_wrong_token_fails(server):
    async def work(client):
        return await client.list_tools()

    with pytest.raises(Exception) as refusal:
        with_client(server, work, token="wrong")
    assert "error response" in "".join(traceback.format_exception(refusal.value))


@pytest.mark.parametrize(
    "headers",
    [{"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Host": "127.0.0.1:1"}],
)
def test_other_hosts_and_origins_are_refused(server, headers):
    assert server.send("GET", "/v1/tools", **headers)[0] == 401


def test_the_tools_in_the_chat_protocols_form(server):
    status, body = server.send("GET", "/v1/tools")
    tools = json.loads(body)["tools"]
    assert status == 200 and {tool["type"] for tool in tools} == {"function"}
    assert {tool["function"]["name"] for tool in tools} == set(TOOLS)
    assert all(tool["function"]["parameters"]["type"] == "object" for tool in tools)


@pytest.mark.parametrize(
    "body, status",
    [
        (b"", 400),
        (b"[]", 400),
        (b"{", 400),
        (b"[" * 100_000, 400),
        (b"\xff" * 10, 400),
        (b"{}", 400),
        (b'{"tool_calls": []}', 400),
        (b'{"tool_calls": [5]}', 400),
        (b'{"tool_calls": "ask"}', 400),
        (b'{"x": "' + b"y" * (600 << 10) + b'"}', 413),
    ],
)
def test_malformed_requests(server, body, status):
    assert server.send("POST", "/v1/tool_calls", body)[0] == status


@pytest.mark.parametrize(
    "name, arguments, said",
    [
        ("shell", {}, "no tool"),
        ("ask", {}, "needs the argument"),
        ("ask", {"question": 5}, "must be a string"),
        ("ask", {"question": "1", "file": "/etc/passwd"}, "takes no argument"),
        ("run", {"program": "x", "args": "48"}, "must be a list"),
        ("run", {"program": "x", "args": ["1"] * 100}, "at most"),
        ("run", {"program": '#include "/etc/passwd"\nint main(){return 0;}'}, "program.c"),
        ("run", {"program": "x" * (300 << 10)}, "at most"),
        ("calculate", {"plan": "(" * 5000}, "not a program"),
        ("calculate", {"plan": "9" * 5000}, "not a decimal number"),
        ("calculate", {"plan": "__import__('os')"}, "not part"),
        ("calculate", {"plan": "\x00"}, "not a program"),
    ],
)
def test_hostile_calls_are_refused_with_a_reason(server, name, arguments, said):
    assert said in server.call(name, **arguments)["error"]


def test_a_call_that_eats_memory_ends_alone(server):
    program = "x = 2\nwhile x > 0:\n    x = x * x\nreturn x"
    assert server.call("calculate", plan=program)["error"]
    assert server.call("calculate", plan="1 + 1")["answer"] == "2"


def test_two_clients_at_the_same_time(server):
    async def work(client):
        plans = [f"fibonacci({n})" for n in range(20, 24)]
        results = await asyncio.gather(
            *(client.call_tool("calculate", {"plan": plan}) for plan in plans)
        )
        return [content(result)["answer"] for result in results]

    async def both():
        headers = {"Authorization": f"Bearer {server.token}"}

        async def one():
            async with (
                httpx.AsyncClient(headers=headers, timeout=60) as http,
                mcp.Client(streamable_http_client(server.mcp, http_client=http)) as client,
            ):
                return await work(client)

        return await asyncio.gather(one(), one())

    first, second = asyncio.run(both())  # eight calls, two at a time
    assert first == second == ["6765", "10946", "17711", "28657"]


def test_too_many_calls_are_refused_and_the_server_goes_on(server):
    async def work(client):
        calls = (client.call_tool("ask", {"question": "1 + 1"}) for _ in range(30))
        return await asyncio.gather(*calls)

    results = with_client(server, work)
    refused = [result for result in results if result.is_error]
    assert refused and all("too many calls" in result.content[0].text for result in refused)
    assert any(not result.is_error for result in results)
    assert server.call("ask", question="1 + 1")["answer"] == "2"


def test_the_link_opens_the_run_in_the_studio(server):
    link = urlsplit(server.call("ask", question="2 + 3")["studio"])
    status, page = server.send("GET", link.path, token="")
    assert status == 200 and b"<script src=" in page
    status, script = server.send("GET", f"{link.path}.js", token="")
    assert status == 200 and b'\\"source\\": \\"2 + 3\\"' in script and b"sessionStorage" in script
    assert server.send("GET", link.path.rsplit("/open/", 1)[0] + "/", token="")[0] == 200
    assert server.send("GET", link.path + "x", token="")[0] == 410
    wrong = link.path.replace(link.path.split("/")[1], "guess")
    assert server.send("GET", wrong, token="")[0] == 401


def test_standard_input_and_output():
    source = Path(sys.modules["transputer"].__file__).parents[1]
    paths = os.pathsep.join([str(source), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "transputer", "serve", "--stdio"],
        env={**os.environ, "PYTHONPATH": paths},
    )

    async def main():
        async with mcp.Client(stdio_client(command)) as client:
            return content(await client.call_tool("calculate", {"plan": "7 * 6"}))

    assert asyncio.run(main())["answer"] == "42"


@pytest.mark.slow
def test_a_soak_of_a_minute(server):
    """Two hundred calls of every kind, from four clients, with mistakes among them."""

    async def one(client, index):
        kind = index % 4
        if kind == 0:
            result = await client.call_tool("calculate", {"plan": f"{index} * {index}"})
            return result.is_error or content(result)["answer"] == str(index * index)
        if kind == 1:
            return (await client.call_tool("calculate", {"plan": f"{index} +"})).is_error
        if kind == 2:
            result = await client.call_tool("ask", {"question": f"{index} plus 1"})
            return result.is_error or content(result)["answer"] == str(index + 1)
        return (await client.call_tool("run", {"program": "int f("})).is_error

    async def work(client):
        return [await one(client, index) for index in range(200)]

    assert all(with_client(server, work))
