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
from transputer.frontends.words.endpoint import LARGEST, Endpoint
from transputer.frontends.words.numbers import find
from transputer.frontends.words.planner import Abstained
from transputer.frontends.words.replies import gbnf, json_schema

QUESTION = "Tom had 50 marbles and lost 15 of them to Ann. How many marbles has Tom now?"


def chat(content, **more):
    """A reply of the chat protocol."""
    return json.dumps({"choices": [{"message": {"content": content}, **more}]}).encode()


PLAN = json.dumps({"program": "N0 - N1"})


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
    assert body["response_format"]["json_schema"]["schema"] == json_schema()
    assert body["messages"][-1]["content"].startswith("Tom had N0 marbles and lost N1 of them")
    for message in body["messages"]:
        if message["role"] == "assistant":
            assert set(json.loads(message["content"])) <= {"program", "cannot_answer"}
    assert body["max_tokens"] == 1024 and body["logprobs"] is True


def test_a_line_under_gbnf():
    proposal, requests = proposed(chat(" (N0 - N1)\n"), constraint="gbnf", key="secret")
    assert text.line(proposal.plan) == "(N0 - N1)"
    assert requests[0][1]["Authorization"] == "Bearer secret"
    assert requests[0][2]["grammar"] == gbnf(2) and "response_format" not in requests[0][2]


def test_a_fenced_reply_and_probabilities():
    logprobs = {"content": [{"logprob": -0.1}, {"logprob": -0.2}]}
    proposal, _ = proposed(chat(f"```json\n{PLAN}\n```", logprobs=logprobs))
    assert 0.74 < proposal.confidence < 0.75


def test_tokens_and_probabilities_are_options(monkeypatch):
    _, requests = proposed(chat(PLAN), tokens=77, logprobs=False)
    assert requests[0][2]["max_tokens"] == 77 and "logprobs" not in requests[0][2]
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    for name, value in (("TOKENS", "9"), ("LOGPROBS", "0"), ("THRESHOLD", "0.5"), ("TIMEOUT", "3")):
        monkeypatch.setenv(f"TRANSPUTER_{name}", value)
    planner = Endpoint.from_environment("m")
    assert (planner.tokens, planner.logprobs, planner.threshold) == (9, False, 0.5)
    assert planner.seconds == 3
    monkeypatch.setenv("TRANSPUTER_TOKENS", "many")
    with pytest.raises(UsageError, match="TRANSPUTER_TOKENS must be a number"):
        Endpoint.from_environment("m")


def test_a_plan_below_the_threshold_is_refused():
    unsure = chat(PLAN, logprobs={"content": [{"logprob": -2.0}]})
    with Script(unsure) as script:
        answer = api.ask(QUESTION, planner=script.planner(threshold=0.5), engine="oracle")
    assert answer.abstained and "not sure enough" in answer.reason


def test_the_model_may_say_that_there_is_no_answer():
    with (
        Script(chat('{"cannot_answer": "no ages"}')) as script,
        pytest.raises(Abstained) as refusal,
    ):
        script.planner().propose(QUESTION, find(QUESTION))
    assert "no answer" in str(refusal.value) and len(script.requests) == 1


def test_percent_signs_and_words_survive():
    question = "Half of 20% of 50 and a dozen"
    with Script(chat('{"program": "N0 * percent(N1, N2) + N3"}')) as script:
        script.planner().propose(question, find(question))
    asked = script.requests[0][2]["messages"][-1]["content"]
    assert asked == "Half [N0] of N1% of N2 and a dozen [N3]"


def test_a_program_with_a_loop_runs():
    program = "x = N0\nn = 0\nwhile x > N1:\n    x = x - N1\n    n = n + 1\nreturn n"
    question = "How often can you take 15 marbles from 50 marbles until 15 are left or fewer?"
    with Script(
        chat(
            json.dumps(
                {"program": program.replace("N0", "N9").replace("N1", "N0").replace("N9", "N1")}
            )
        )
    ) as script:
        (proposal,) = script.planner().propose(question, find(question))
        answer = api.ask(
            question, planner=script.planner(), rules=False, engine="oracle", doubtful=True
        )
    assert "while x > N0" in text.program(proposal.plan)
    assert answer.value == 3


def test_the_servers_own_message_is_shown():
    def refuse(handler):
        body = json.dumps({"error": {"message": "model 'x' not\nfound"}}).encode()
        Script.plain(handler, body, 404)

    with Script(refuse) as script, pytest.raises(UsageError, match="model 'x' not found"):
        script.planner().propose(QUESTION, find(QUESTION))


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
        (chat("{"), "no program"),
        (chat("{}"), "no program"),
        (chat("<think>N0 - N1</think>"), "the reply is empty"),
        (chat('{"program": "N7"}'), "N7 is not a number of the question"),
        (chat('{"program": "import os"}'), "not part of the plan language"),
        (chat('{"program": 5}'), "no program"),
        (chat("(N0 - 15)"), "15 is not a declared constant"),
        (chat("__import__('os').system('true')"), "not part of the plan language"),
        (chat('{"program": "N0 + (N0 > N1)"}'), "ADD takes number number"),
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
        assert json.loads(ran.out)["answer"] == "35"
        assert script.requests[-1][2]["model"] == "other"
    monkeypatch.delenv("OPENAI_BASE_URL")
    ran = cli("ask", QUESTION, "--model", "scripted")
    assert ran.code == 2 and "OPENAI_BASE_URL" in ran.err
