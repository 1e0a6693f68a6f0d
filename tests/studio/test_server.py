"""The server: who may come in, what can be asked, and what a program may not do."""

import json
import socket
from pathlib import Path

import pytest

from transputer.errors import UsageError
from transputer.studio.serve import serve

from .conftest import Client

ROOT = Path(__file__).parents[2]
SUM = "PUSH 20\nPUSH 22\nADD\nHALT\n"
FOREVER = "again: PUSH 0\nJZ again\n"
LOUD = """int main(void) { for (;;) tp_write('x'); }"""
HUNGRY = """static int held[1 << 24];
int main(void) { for (unsigned i = 0;; i += 1) held[i & 0xffffff] = i + 1; }"""


# Who may come in


def test_the_token_opens_the_page(client: Client) -> None:
    status, body = client.send("GET", f"/{client.token}/")
    assert status == 200 and b"Transputer Studio" in body


@pytest.mark.parametrize("path", ["/", "/wrong/", "/{0}x/", "/api/status", "//{0}/", "/{0}"])
def test_a_wrong_or_missing_token_is_refused(client: Client, path: str) -> None:
    assert client.send("GET", path.format(client.token))[0] == 403


def test_other_hosts_and_origins_are_refused(client: Client) -> None:
    path = f"/{client.token}/api/offer"
    assert client.send("GET", path, Host="evil.example")[0] == 403
    assert client.send("GET", path, Host=f"evil.example:{client.port}")[0] == 403
    assert client.send("GET", path, Origin="http://evil.example")[0] == 403
    assert client.send("GET", path, Origin=f"http://127.0.0.1:{client.port}")[0] == 200
    assert client.send("GET", path, Host=f"localhost:{client.port}")[0] == 200


@pytest.mark.parametrize(
    "path", ["../app.py", "%2e%2e/app.py", "static/../../app.py", "/etc/hostname", "app.js/", "x"]
)
def test_only_files_of_the_page_are_served(client: Client, path: str) -> None:
    assert client.send("GET", f"/{client.token}/{path}")[0] in (403, 404)


def test_only_this_machine_is_listened_to(client: Client) -> None:
    own = socket.gethostbyname(socket.gethostname())
    if own.startswith("127."):
        pytest.skip("this machine has no other address")
    with pytest.raises(OSError):
        socket.create_connection((own, client.port), timeout=2)


def test_a_taken_port_is_said(client: Client) -> None:
    with pytest.raises(UsageError, match=f"port {client.port}"):
        serve(client.port, browser=False)


# What can be asked


def test_what_is_offered(client: Client) -> None:
    status, found = client.get("offer")
    assert status == 200
    machines = {m["name"]: m for m in found["machines"]}
    assert {name: set(m["languages"]) for name, m in machines.items()} == {
        "trace": {"c", "wat", "asm", "words"}, "loom": {"c", "loomasm"}, "soft": {"soft", "c"},
    }  # fmt: skip
    offered = {(e["machine"], e["language"]) for e in found["examples"]}
    assert offered == {(name, one) for name, m in machines.items() for one in m["languages"]}


def test_a_run_of_the_loom_machine(client: Client) -> None:
    source = (ROOT / "examples/loom/gcd.c").read_text()
    done = client.run(source, "c", machine="loom")
    assert done["text"] == [] and done["result"]["exit_code"] == 12
    assert done["machine"] == "loom"
    look = client.ask("look", step=6)
    assert look["step"]["instruction"] == "SUB a, b" and look["step"]["writes"] == "a = 48"
    assert "calls" not in look["state"] and "stack" not in look["state"]
    met = {r["head"]: r["says"] for r in look["step"]["reads"] if r["used"]}
    assert met == {"pc": "SUB 1, 2", "b": "a = 84", "c": "b = 36", "write b": "a = 84"}
    hit = client.ask("search", step=1, how="continue", breaks=[{"line": 7}])["step"]
    lines = [client.ask("step", step=n)["line"]["number"] for n in range(1, hit + 1)]
    assert lines[-1] == 7 and 7 not in lines[:-1]
    assert client.post("search", step=1, how="out")[0] == 422
    wrong = client.run("int main(void) {\n  return x;\n}\n", "c", machine="loom")
    assert [p["line"] for p in wrong["problems"]] == [2]


def test_a_broken_run_of_the_loom_machine(client: Client) -> None:
    source = (ROOT / "examples/loom/fibonacci.c").read_text()
    broken = {"part": "pc", "how": "negate"}
    done = client.run(source, "c", machine="loom", broken=broken)
    assert done["phase"] == "done", done
    assert done["broken"]["first"] == 1 and "55 after" in done["broken"]["healthy"]
    look = client.ask("look", step=1, address=0)
    assert look["beside"]["step"] == look["step"]["step"] == 1


@pytest.mark.parametrize("machine, engine, language, source", [
    ("trace", "reference", "asm", "PUSH 3\nPUSH 4\nADD\nHALT\n"),
    ("loom", "softmax", "loomasm", ".word x 1\nINC x\nINC x\nHALT\n"),
])  # fmt: skip
def test_a_run_on_another_engine(
    client: Client, machine: str, engine: str, language: str, source: str
) -> None:
    fast = client.run(source, language, machine=machine)
    first = client.ask("look", step=2)
    dense = client.run(source, language, machine=machine, engine=engine)
    assert fast["text"] == dense["text"] and fast["result"]["engine"] == "native"
    assert dense["result"]["engine"] == engine and client.ask("look", step=2) == first
    wrong = {"source": source, "language": language, "machine": machine, "engine": "oracle"}
    status, answer = client.post("run", **wrong)
    assert status == 400 and "`engine` must be one of native, reference" in answer["problem"]


def test_a_question_in_words(client: Client) -> None:
    done = client.run("sum of the squares from 1 to 4", "words")
    about = done["about"]
    assert about["answer"] == "30" and "squares" in about["plan"] and "(module" in about["wat"]
    lines = {client.ask("step", step=n)["line"]["number"] for n in range(1, 4)}
    assert max(lines) <= len(about["wat"].splitlines())
    unsure = client.run("what colour is the sky?", "words")
    assert unsure["phase"] == "failed" and "no plan" in unsure["problems"][0]["message"]


SUMMED = """static volatile int held[3] = {10, 20, 30};
int sum(void) { return held[0] + held[1] + held[2]; }"""


def test_memory_can_begin_otherwise(client: Client) -> None:
    plain = client.run(SUMMED, "c", invoke="sum")
    assert plain["text"] == ["60"] and plain["about"]["edits"] == 0
    where = plain["code"]["first_memory"]
    held = client.ask("state", step=1, address=where, count=12)["memory"]["bytes"]
    assert bytes.fromhex(held) == b"".join(n.to_bytes(4, "little") for n in (10, 20, 30))
    edited = client.run(SUMMED, "c", invoke="sum", edits={str(where + 4): 21})
    assert edited["text"] == ["61"] and edited["about"]["edits"] == 1
    source = (ROOT / "examples/loom/gcd.c").read_text()
    done = client.run(source, "c", machine="loom", edits={"1": 18})
    assert done["result"]["exit_code"] == 18
    for edits in ({"1": 1 << 40}, {"x": 1}, [1], {"-1": 1}, {"1": True}):
        assert client.post("run", source=SUMMED, language="c", edits=edits)[0] == 400
    assert client.run(SUMMED, "c", invoke="sum", edits={"99999999": 1})["phase"] == "failed"


def test_a_run_and_its_steps(client: Client) -> None:
    done = client.run(SUM)
    assert done["phase"] == "done" and done["text"] == ["42"] and done["steps"] == 4
    step = client.ask("step", step=3)
    assert step["instruction"] == "i32.add" and step["line"]["number"] == 3
    used = {r["head"]: r["says"] for r in step["reads"] if r["used"]}
    assert used["S"] == "slot 0 = 20" and used["T"] == "slot 1 = 22"
    state = client.ask("state", step=3)
    assert [s["value"] for s in state["stack"]] == [22, 20]
    layers = client.ask("layers", step=3)["layers"]
    assert [one["name"] for one in layers] == ["token", *(f"layer {i}" for i in range(9))]
    tokens = client.ask("tokens", step=3)
    assert tokens["current"] == step["token"]
    assert set(client.ask("look", step=3)) == {"step", "state", "layers", "tokens"}
    assert client.ask("search", step=1, how="continue", breaks=[{"line": 3}])["step"] == 3
    assert client.ask("search", step=4, how="reverse", breaks=[{"line": 2}])["step"] == 2


def test_compile_errors_have_places(client: Client) -> None:
    found = client.ask("compile", language="c", source="int f(void) {\n  return x;\n}\n")
    assert found["phase"] == "failed"
    assert [(p["line"], p["column"]) for p in found["problems"]] == [(2, 10)]
    fine = client.ask("compile", language="c", source="int f(int a) { return a; }")
    assert fine["functions"] == [{"name": "f", "params": ["i32"], "results": ["i32"]}]


def test_arguments_input_and_output(client: Client) -> None:
    source = '#include "transputer.h"\nint main(void) { tp_write(tp_read() + 1); return 7; }\n'
    done = client.run(source, "c", stdin="A")
    assert done["result"]["exit_code"] == 7
    assert client.ask("state", step=done["steps"] + 1)["output"] == "B"
    done = client.run((ROOT / "examples/c/gcd.c").read_text(), "c", invoke="gcd", args=["48", "36"])
    assert done["text"] == ["12"]


def test_sessions_do_not_see_each_other(client: Client) -> None:
    other = Client(client.port, client.token)
    client.run(SUM)
    other.run(SUM.replace("22", "1"))
    assert client.ask("state", step=5)["stack"][0]["value"] == 42
    assert other.ask("state", step=5)["stack"][0]["value"] == 21
    stranger = Client(client.port, client.token)
    assert stranger.post("look", step=1)[0] == 410


def test_a_page_that_comes_back_finds_its_run(client: Client) -> None:
    client.run(SUM)
    again = Client(client.port, client.token, client.session)
    assert again.get("status")[1]["phase"] == "done"
    assert again.ask("look", step=1)["step"]["instruction"] == "i32.const 20"


def test_events(client: Client) -> None:
    path = f"/{client.token}/api/events?session={client.session}"
    with socket.create_connection(("127.0.0.1", client.port), timeout=60) as line:
        host = f"Host: 127.0.0.1:{client.port}\r\n"
        line.sendall(f"GET {path} HTTP/1.1\r\n{host}\r\n".encode())
        held = b""
        while b"data: " not in held:
            held += line.recv(4096)
        client.run(SUM)
        while b'"phase": "done"' not in held:
            more = line.recv(65536)
            assert more
            held += more
    assert b"text/event-stream" in held


# What a program may not do


def test_steps_are_limited_and_what_there_is_can_be_seen(client: Client) -> None:
    done = client.run(FOREVER)
    assert done["phase"] == "done" and "limit" in done["stopped"]
    assert client.ask("step", step=done["steps"] // 2)["instruction"]


def test_output_is_limited(client: Client) -> None:
    done = client.run(f'#include "transputer.h"\n{LOUD}', "c")
    assert "output" in done["stopped"] or "steps" in done["stopped"]
    assert client.ask("state", step=done["steps"])["output_bytes"] > 0


@pytest.mark.slow
def test_memory_is_limited(client: Client) -> None:
    done = client.run(HUNGRY, "c")
    if done["phase"] == "failed":
        assert "memory" in done["problems"][0]["message"]
    else:
        assert "limit" in done["stopped"]
    assert client.run(SUM)["text"] == ["42"]


def test_a_run_can_be_cancelled(client: Client) -> None:
    client.ask("run", source=FOREVER, language="asm")
    client.wait(lambda s: s["phase"] == "running" and s["steps"] > 0)
    found = client.ask("cancel")
    assert found["phase"] == "done" and found["stopped"] == "cancelled"
    assert client.ask("step", step=1)["instruction"] == "i32.const 0"


def test_a_new_run_replaces_the_last(client: Client) -> None:
    first = client.ask("run", source=FOREVER, language="asm")["run"]
    done = client.run(SUM)
    assert done["run"] == first + 1 and done["text"] == ["42"]
    assert client.post("look", step=1, run=first)[0] == 410


def test_files_cannot_be_read(client: Client, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("xyzzy_plugh")
    for line in (f'#include "{tmp_path}/secret"', f'#embed "{tmp_path}/secret"'):
        done = client.run(f"{line}\nint main(void) {{ return 0; }}", "c")
        assert done["phase"] == "failed" and "xyzzy" not in json.dumps(done)


def test_errors_tell_no_paths(client: Client) -> None:
    done = client.run('#include "nothing.h"\nint f(void) { return x; }', "c")
    assert done["phase"] == "failed"
    assert "/tmp" not in json.dumps(done) and str(ROOT) not in json.dumps(done)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b"\xff\xfe", b"{}", b'{"session": 5}', b'{"session": "short"}',
        b'{"session": "../../../../etc/passwd"}', b"[" * 100_000,
        b'{"session": "aaaaaaaaaaaaaaaaaaaa", "language": "sh", "source": "ls"}',
        b'{"session": "aaaaaaaaaaaaaaaaaaaa", "language": ["c"], "source": 5}',
        b'{"session": "aaaaaaaaaaaaaaaaaaaa", "language": "c", "source": "", "args": [1]}',
        b'{"session": "aaaaaaaaaaaaaaaaaaaa", "language": "c", "args": "x"}',
        b'{"session": "aaaaaaaaaaaaaaaaaaaa", "language": "c", "machine": "loom9"}',
    ],
)  # fmt: skip
def test_garbage_is_refused(client: Client, body: bytes) -> None:
    status, answer = client.send("POST", f"/{client.token}/api/run", body)
    assert status == 400 and json.loads(answer)["problem"]


def test_requests_are_limited(client: Client) -> None:
    assert client.post("run", language="asm", source="; " + "x" * 300_000)[0] == 413
    assert client.send("POST", f"/{client.token}/api/run", b" " * 2_000_000)[0] == 413
    assert client.post("run", language="asm", source="HALT", args=["1"] * 65)[0] == 400


def test_questions_out_of_range_are_refused(client: Client) -> None:
    client.run(SUM)
    for door, body in (
        ("step", {"step": 0}), ("step", {"step": 99}), ("step", {"step": -1}),
        ("step", {"step": "1"}), ("step", {"step": True}), ("state", {"count": 1 << 20}),
        ("tokens", {"before": 10_000}), ("search", {"how": "__init__"}), ("search", {"how": 5}),
        ("search", {"how": "next", "breaks": [5]}),
    ):  # fmt: skip
        status, answer = client.post(door, **body)
        assert status in (400, 422) and answer["problem"], (door, body)
