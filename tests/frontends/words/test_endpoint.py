"""Models behind an endpoint, against a server on loopback that follows a script."""

import json
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from transputer import api
from transputer.errors import UsageError
from transputer.frontends.words import text
from transputer.frontends.words.endpoint import LARGEST, Endpoint, instructions
from transputer.frontends.words.numbers import find
from transputer.frontends.words.operations import OPERATIONS
from transputer.frontends.words.planner import Abstained
from transputer.frontends.words.schema import gbnf, json_schema, to_json

QUESTION = "Tom had 50 marbles and lost 15 of them to Ann. How many marbles has Tom now?"


def chat(content, **more):
    """A reply of the chat protocol."""
    return json.dumps({"choices": [{"message": {"content": content}, **more}]}).encode()


PLAN = json.dumps(to_json(text.read("(N0 - N1)")))


class Script:
    """A server that gives these replies in turn, the last one for ever; it keeps the requests."""

    def __init__(self, *replies):
        self.replies, self.requests, self.released = list(replies), [], threading.Event()
        script = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                script.requests.append((self.path, dict(self.headers), json.loads(body)))
                reply = script.replies[min(len(script.requests), len(script.replies)) - 1]
                reply(self) if callable(reply) else script.plain(self, reply)

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    @staticmethod
    def plain(handler, body, status=200):
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()

    def planner(self, **how):
        return Endpoint(f"http://127.0.0.1:{self.server.server_port}/v1", "scripted", **how)


def proposed(*replies, question=QUESTION, **how):
    with Script(*replies) as script:
        (proposal,) = script.planner(**how).propose(question, find(question))
        return proposal, script.requests


def test_a_json_reply_becomes_a_plan():
    proposal, requests = proposed(chat(PLAN))
    assert text.line(proposal.plan) == "(N0 - N1)" and proposal.confidence is None
    ((path, headers, body),) = requests
    assert path == "/v1/chat/completions" and "Authorization" not in headers
    assert body["model"] == "scripted" and body["temperature"] == 0
    assert body["response_format"]["json_schema"]["schema"] == json_schema(2)
    assert body["messages"][-1]["content"].startswith("Tom had N0 marbles and lost N1 of them")
    for message in body["messages"]:
        if message["role"] == "assistant":
            assert json.loads(message["content"])["result"]


def test_a_line_under_gbnf():
    proposal, requests = proposed(chat(" (N0 - N1)\n"), constraint="gbnf", key="secret")
    assert text.line(proposal.plan) == "(N0 - N1)"
    assert requests[0][1]["Authorization"] == "Bearer secret"
    assert requests[0][2]["grammar"] == gbnf(2) and "response_format" not in requests[0][2]


def test_a_fenced_reply_and_probabilities():
    logprobs = {"content": [{"logprob": -0.1}, {"logprob": -0.2}]}
    proposal, _ = proposed(chat(f"```json\n{PLAN}\n```", logprobs=logprobs))
    assert 0.74 < proposal.confidence < 0.75


def test_the_instructions_name_every_operation():
    assert all(row.token in instructions(True) for row in OPERATIONS)


def test_a_malformed_reply_is_asked_for_once_more():
    proposal, requests = proposed(chat("Let me think. 50 - 15 = 35."), chat(PLAN))
    assert text.line(proposal.plan) == "(N0 - N1)" and len(requests) == 2


@pytest.mark.parametrize(
    "reply, reason",
    [
        (b"", "not of the chat protocol"),
        (b"<html>nginx</html>", "not of the chat protocol"),
        (b"[" * 100_000, "not of the chat protocol"),
        (b'{"choices": []}', "not of the chat protocol"),
        (b"\xff\xfe", "not of the chat protocol"),
        (chat(""), "the reply is empty"),
        (chat(None), "the reply is empty"),
        (chat("35"), "35 is not a declared constant"),
        (chat("{"), "not JSON"),
        (chat("{}"), "no result"),
        (chat('{"result": "N7"}'), "N7 may not come"),
        (chat('{"result": {"op": "SYSTEM", "a": "rm -rf /"}}'), "no part of a plan"),
        (chat("(N0 - 15)"), "15 is not a declared constant"),
        (chat("__import__('os').system('true')"), "nothing a plan has"),
        (chat('{"result": {"op": "ADD", "a": "N0", "b": {"op": "GT", "a": "N0", "b": "N1"}}}'),
         "ADD takes number number"),
    ],
)  # fmt: skip
def test_what_is_no_plan_is_refused_with_its_reason(reply, reason):
    with Script(reply) as script, pytest.raises(Abstained) as refusal:
        script.planner().propose(QUESTION, find(QUESTION))
    assert reason in str(refusal.value) and len(script.requests) == 2


def test_a_server_that_says_nothing_in_time():
    def silent(handler):
        script.released.wait(20)

    with Script(silent) as script, pytest.raises(Abstained, match="no answer in 0.2 s"):
        script.planner(seconds=0.2).propose(QUESTION, find(QUESTION))


def test_a_server_that_drips():
    def drip(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        while not script.released.is_set():
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.02)

    with Script(drip) as script, pytest.raises(Abstained, match="no answer in 0.3 s"):
        script.planner(seconds=0.3).propose(QUESTION, find(QUESTION))


def test_a_reply_without_end():
    with Script(b" " * (LARGEST + 2)) as script, pytest.raises(Abstained, match="more than"):
        script.planner().propose(QUESTION, find(QUESTION))


def test_a_server_that_breaks_off():
    def broken(handler):
        handler.wfile.write(b"HTTP/1.1 nonsense\r\n\r\n")
        handler.connection.shutdown(socket.SHUT_RDWR)

    with Script(broken) as script, pytest.raises(Abstained, match="broke off"):
        script.planner().propose(QUESTION, find(QUESTION))


@pytest.mark.parametrize("status", [401, 404, 429, 500])
def test_a_refusal_of_the_server_is_the_users_to_mend(status):
    def refuse(handler):
        Script.plain(handler, b"no", status)

    with Script(refuse) as script, pytest.raises(UsageError, match=str(status)):
        script.planner().propose(QUESTION, find(QUESTION))


def test_no_server():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(UsageError, match="refused"):
        Endpoint(f"http://127.0.0.1:{port}", "none").propose(QUESTION, find(QUESTION))


def test_addresses_that_are_none():
    with pytest.raises(UsageError, match="http"):
        Endpoint("file:///etc", "none")
    with pytest.raises(UsageError, match="no constraint"):
        Endpoint("http://x", "none", constraint="hope")


def test_a_wrong_but_valid_plan_is_run_as_it_is():
    """What a model means is its own affair; what is checked is that nothing was invented."""
    with Script(chat("(N0 + N1)")) as script:
        answer = api.ask(QUESTION, planner=script.planner(), engine="oracle")
    assert (answer.answer, answer.line, answer.planner) == ("65", "(50 + 15)", "endpoint")


@pytest.mark.parametrize("line, reason", [("(2 + 3)", "uses none"), ("N0", "only repeats")])
def test_a_plan_without_sense_is_not_used(line, reason):
    with Script(chat(line)) as script:
        answer = api.ask(QUESTION, planner=script.planner())
    assert answer.abstained and reason in answer.reason


def test_from_the_command_line(cli, monkeypatch):
    with Script(chat(PLAN)) as script:
        address = f"http://127.0.0.1:{script.server.server_port}/v1/"
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        ran = cli("ask", QUESTION, "--model", "scripted", "--engine", "oracle")
        assert (ran.code, ran.out) == (0, "35\n")
        monkeypatch.setenv("OPENAI_MODEL", "other")
        ran = cli("ask", QUESTION, "--planner", "endpoint", "--json", "--engine", "oracle")
        assert json.loads(ran.out)["answer"] == 35
        assert script.requests[-1][2]["model"] == "other"
    monkeypatch.delenv("OPENAI_BASE_URL")
    ran = cli("ask", QUESTION, "--model", "scripted")
    assert ran.code == 2 and "OPENAI_BASE_URL" in ran.err
