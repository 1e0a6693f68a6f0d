"""The folder of a language model with the machine inside, and conversations with it.

The language models are tiny: one with random weights, and one that follows a table of successors,
so that it writes known programs. The machine is the real one.
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

pytest.importorskip("transformers")
import torch  # noqa: E402
from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: E402

import transputer as tp  # noqa: E402
from tests.exporters.hf_folders import (  # noqa: E402
    PLACES,
    alone,
    has_our_sources,
    loaded_folder,
)
from tests.tiny_language import OWN, byte_tokenizer, characters, follower, tiny  # noqa: E402
from tools.one_model import mutate  # noqa: E402
from tools.one_model.data import evaluate  # noqa: E402
from tools.one_model.export import language_model  # noqa: E402
from transputer.embed.one_model.export import (  # noqa: E402
    SOURCES,
    language_config,
    llama_weights,
    write_joint,
)
from transputer.embed.one_model.machine import extended, library  # noqa: E402
from transputer.embed.one_model.module import EXTRA, language_rows  # noqa: E402
from transputer.embed.one_model.vocabulary import KINDS  # noqa: E402
from transputer.engines.torch.modeling_joint import JointConfig, LanguageTower  # noqa: E402
from transputer.errors import StepLimitError, Trap, UsageError  # noqa: E402
from transputer.frontends.words.smollm.network import Rank, SmolNetwork  # noqa: E402
from transputer.runtime.chat import ChatAnswer, Conversation, FoldedRuns  # noqa: E402
from transputer.runtime.chat_view import ChatView  # noqa: E402
from transputer.runtime.trace.sessions import new_engine  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that answers every question with whether 91 is a prime."""
    path = tmp_path_factory.mktemp("joint") / "prime"
    write_joint(follower(r"'\n code push d9 d1 prime run", "done '. <end>", "trap '! <end>"), path)
    return path


@pytest.fixture(scope="module")
def loaded(folder: Path) -> tuple:
    return loaded_folder(folder)


def decoded(model, tokenizer, *questions: str) -> list[list[list[int]]]:
    prompt = tokenizer(list(questions))
    return model.generate(**prompt)[:, prompt["input_ids"].size(1) :].tolist()


def test_the_code_is_our_own(folder: Path) -> None:
    assert has_our_sources(folder, SOURCES)


def test_it_writes_runs_and_continues(loaded: tuple) -> None:
    model, tokenizer = loaded
    (row,) = decoded(model, tokenizer, "Is 91 a prime?")
    answer = tokenizer.read(row)
    assert (answer.text, answer.programs, answer.outputs) == ("no.", ["91 prime"], ["no"])
    assert model.joint.machine.bias.dtype == torch.float64
    assert model.joint.tower.model.norm.weight.dtype == torch.float32
    assert tokenizer.decode(row) == "no."


def test_another_type_changes_the_language_model_alone(folder: Path, tmp_path: Path) -> None:
    model = AutoModelForCausalLM.from_pretrained(
        folder, trust_remote_code=True, dtype=torch.bfloat16
    )
    assert model.joint.machine.bias.dtype == torch.float64
    assert model.joint.tower.model.norm.weight.dtype == torch.bfloat16
    tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=True)
    tokenizer.save_pretrained(tmp_path)
    assert (tmp_path / "library.json").read_bytes() == (folder / "library.json").read_bytes()
    model.save_pretrained(tmp_path)
    model = AutoModelForCausalLM.from_pretrained(tmp_path, trust_remote_code=True)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path, trust_remote_code=True)
    (row,) = decoded(model, tokenizer, "Is 91 a prime?")
    assert tokenizer.decode(row) == "no."


def test_a_batch_of_questions_of_different_lengths(loaded: tuple) -> None:
    model, tokenizer = loaded
    questions = ["Is it?", "I have a rather long question about it.", "91"]
    rows = decoded(model, tokenizer, *questions)
    (alone,) = decoded(model, tokenizer, "Is it?")
    assert rows == [alone] * 3
    prompt = tokenizer(questions)
    with pytest.raises(ValueError, match="pad on the left"):
        model.generate(prompt["input_ids"], prompt["attention_mask"].flip(1))
    with pytest.raises(ValueError, match="do_sample=True"):
        model.generate(**prompt, do_sample=True)


def test_the_library_s_language_model_is_the_one_that_was_trained() -> None:
    """Ragged and token by token, transformers' Llama gives the logits of `SmolNetwork`."""
    checkpoint = tiny()
    torch.manual_seed(0)
    network = SmolNetwork(checkpoint, Rank(4), EXTRA)
    for parameter in network.parameters():
        parameter.data += 0.05 * torch.randn_like(parameter)
    language = language_model(checkpoint, network)
    shape = language_config(language)
    config = JointConfig(language=shape, own=OWN, kinds=KINDS.count, writes=KINDS.run)
    tower = LanguageTower(config)
    weights = {f"model.{n}": torch.tensor(w) for n, w in llama_weights(language).items()}
    rows = torch.tensor(language_rows(OWN, characters(byte_tokenizer())))
    tower.load_state_dict({**weights, "rows": rows})
    program = [OWN + kind - 1 for kind in KINDS.program(["12", "show"])]
    output = [OWN + KINDS.out + ord("1") - 1, OWN + KINDS.done - 1]
    sequences = [[5, 80, 90, 7, *program, *output], [9, 8, 7, 6, 5, 4]]
    with torch.no_grad():
        cache = tower.cache(2)
        pieces = torch.tensor([sequences[0][:5], sequences[1][:3] + [0, 0]])
        tower(pieces, torch.tensor([5, 3]), cache)
        for at in range(5, 9):  # the second row has no token here
            tower(torch.tensor([[sequences[0][at]], [0]]), torch.tensor([1, 0]), cache)
        pieces = torch.tensor([sequences[0][9:], sequences[1][3:]])
        logits = tower(pieces, torch.tensor([len(pieces[0]), 3]), cache)
        for row, ids in enumerate(sequences):
            states, _ = network.states(rows[torch.tensor([ids])])
            last = states[-1][:, -1]
            text, kinds = network.lens(last)[0], network.scores(last)[0, : KINDS.run]
            expected = torch.cat([text, kinds]).double()
            assert torch.allclose(logits[row, : len(expected)], expected, atol=1e-4)
            assert not logits[row, len(expected) :].any()


def machine_hash(program: str) -> tuple[str, int]:
    """The hash and number of the machine's tokens for a program, by the native engine."""
    routines = library()
    model = extended(routines=routines)
    engine = new_engine("native", model)
    for token in routines.tokens:
        engine.append((KINDS.step, *token))
    parts = [0] * (len(model.parts) - 1)
    for kind in KINDS.program(program.split()):
        engine.append((kind, *parts))
        parts = list(engine.next()[1:])
    tokens = []
    while (token := engine.step())[0] not in (KINDS.done, KINDS.trap):
        tokens.append(token[1:])
    return hashlib.sha256(bytes(v for token in tokens for v in token)).hexdigest(), len(tokens)


@pytest.mark.parametrize("place", PLACES)
def test_accelerate_places_it(folder: Path, loaded: tuple, place: str) -> None:
    """The tokens are those of the native engine and of the model without `device_map`."""
    pytest.importorskip("accelerate")
    model, tokenizer = loaded_folder(folder, device_map=place)
    (row,) = rows = decoded(model, tokenizer, "Is 91 a prime?")
    assert rows == decoded(*loaded, "Is 91 a prime?")
    run = [e.token[1:] for e in tokenizer.vocabulary.events(row) if e.name in ("step", "out")]
    sha256 = hashlib.sha256(bytes(v for token in run for v in token)).hexdigest()
    assert (sha256, len(run)) == machine_hash("91 prime")


@pytest.mark.slow
def test_alone_the_machine_s_tokens_are_ours(folder: Path) -> None:
    rows = alone("joint_run.py", folder, 2000, "Is 91 a prime?", "And 91?")
    assert [(row["text"], row["programs"]) for row in rows] == [("no.", ["91 prime"])] * 2
    assert [(row["sha256"], row["steps"]) for row in rows] == [machine_hash("91 prime")] * 2


@pytest.fixture(scope="module")
def conversation(folder: Path) -> Conversation:
    torch.set_num_threads(1)
    return tp.chat(folder)


def test_two_programs_in_one_conversation(conversation: Conversation) -> None:
    conversation.restart()
    folded, texts = FoldedRuns(), list[str]()
    for question in ("Is 91 a prime?", "Really?"):
        answer = conversation.ask(question, lambda event: texts.append(folded.put(event)))
        assert answer.as_json() | {"tokens": 0} == {
            "question": question, "text": "no.", "programs": ["91 prime"], "outputs": ["no"],
            "traps": [], "steps": answer.decoded.steps, "tokens": 0,
        }  # fmt: skip
    assert "".join(texts) == f"⟨91 prime: {answer.decoded.steps:,} steps⟩no." * 2
    lines = list(conversation.listing(answer))
    assert len(lines) == 5 + answer.decoded.steps + 1  # push to run, the steps, done
    assert [line.split()[3] for line in lines[:9]] == [
        "push", "d9", "d1", "prime", "run", "push", "i32.const", "return.1", "d9"]  # fmt: skip
    assert any("i64.rem" in line for line in lines)
    assert [line.split("  ")[-1] for line in lines][-4:-1].count("output 'o'") == 1


@contextmanager
def showing(model, kind: int) -> Iterator[None]:
    """Inside the `with`, the language model writes `show run` after a kind."""
    down = model.joint.tower.model.layers[0].mlp.down_proj.weight
    before, rows = down.data.clone(), [OWN + k - 1 for k in (kind, KINDS.routines["show"])]
    down.data[:, rows] = 0
    down.data[rows[1], rows[0]] = down.data[OWN + KINDS.run - 1, rows[1]] = 1
    try:
        yield
    finally:
        down.data.copy_(before)


def test_a_trap_and_a_limit(conversation: Conversation) -> None:
    conversation.restart()
    folded, texts = FoldedRuns(), list[str]()
    with showing(conversation._model, KINDS.code):
        answer = conversation.ask("?", lambda event: texts.append(folded.put(event)))
    assert answer.traps == [Trap.STACK_UNDERFLOW] and answer.decoded.text == "!"
    assert "".join(texts) == f"⟨show: {answer.decoded.steps} steps, trap: stack underflow⟩!"
    conversation.restart()
    conversation.max_tokens = 8
    with pytest.raises(StepLimitError, match="8"):
        conversation.ask("?")
    conversation.max_tokens = 2000
    assert conversation.ask("?").decoded.text == "no."


@pytest.mark.parametrize(
    ("name", "contents", "message"),
    [
        ("library.json", None, "library.json is missing"),
        ("tokenizer.json", None, "tokenizer.json is missing"),
        ("model.safetensors", b"nonsense", "cannot be loaded"),
        ("model.safetensors", save({"x": np.zeros(1)}, {"format": "pt"}), "tensors are missing"),
    ],
)
def test_a_damaged_folder_is_refused(
    folder: Path, tmp_path: Path, name: str, contents: bytes | None, message: str
) -> None:
    for path in folder.iterdir():
        (tmp_path / path.name).symlink_to(path)
    (tmp_path / name).unlink()
    if contents is not None:
        (tmp_path / name).write_bytes(contents)
    with pytest.raises(UsageError, match=message):
        tp.chat(tmp_path)


def test_chat_on_the_command_line(folder: Path, cli, monkeypatch) -> None:
    monkeypatch.setenv("TRANSPUTER_CHAT", str(folder))
    code, out, err = cli("chat", stdin=b"Is 91 a prime?\n\n/open\n/help\n/quit\nnever\n")
    first, *steps = out.splitlines()
    assert code == 0 and first.startswith("⟨91 prime: ") and first.endswith(" steps⟩no.")
    assert len(steps) > 20 and steps[-1].endswith("done")
    assert (
        err == "/open  show the programs and the machine's steps of the last answer\n/quit  end\n"
    )
    assert cli("chat", "--max-tokens", "0", "Is it?").code == 2
    assert cli("chat", stdin=b"\xff\n").err == "transputer: standard input: not UTF-8 text\n"
    code, out, _ = cli("chat", "Is 91 a prime?", "And 91?", "--keep", "--json")
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0 and [row["programs"] for row in rows] == [["91 prime"]] * 2


@pytest.fixture(scope="module")
def recorded(conversation: Conversation) -> tuple[ChatAnswer, dict]:
    conversation.max_tokens = 2000
    conversation.restart()
    plain = conversation.ask("Is 91 a prime?")
    conversation.restart()
    answer = conversation.ask("Is 91 a prime?", recorded=True)
    assert answer.tokens == plain.tokens and not plain.arcs
    return answer, ChatView(conversation, answer).recorded()


def test_a_recorded_answer_has_the_arcs_of_both_networks(
    recorded: tuple[ChatAnswer, dict],
) -> None:
    answer, page = recorded
    looks = [look["step"] for look in page["looks"]]
    assert len(looks) == len(answer.tokens) + 1 and looks[-1]["ended"]
    words = " ".join(read["words"] for look in looks for read in look["reads"] if read["used"])
    for head in ("instruction", "T", "S", "open call"):
        assert f"Head {head} of the machine attended to" in words
    assert "Head 0.0 of the language model attended to" in words
    text = [read for look in looks if look["kind"] == "text" for read in look["reads"]]
    assert text and all("of the language model" in read["words"] for read in text)
    # what the language model wrote is what the machine fetches
    written = {look["token"]: look["writes"] for look in looks if look["kind"] == "code"}
    for name in ("push", "d9", "d1", "prime", "run"):
        run = next(s for s in looks if s["instruction"] == name and s["kind"] != "code")
        fetch = next(read for read in run["reads"] if read["head"] == "instruction")
        assert fetch["used"] and written[fetch["token"]] == f"instruction {name}"
    assert page["example"]["source"].splitlines()[1] == "⟨push d9 d1 prime⟩"


@pytest.mark.slow
def test_the_studio_shows_both_kinds_of_tokens(
    folder: Path, tmp_path: Path, cli, open_page
) -> None:
    """In Chromium: one timeline; from the program, the next line is behind the whole run."""
    site = tmp_path / "site"
    code, _, err = cli("chat", "--model", str(folder), "--studio", str(site), "Is 91 a prime?")
    assert code == 0 and err == f"{site / 'index.html'}\n"
    page = open_page((site / "index.html").as_uri())
    page.locator(".timeline .chip.text").first.wait_for()
    assert page.locator(".timeline .arc[data-head='0.0']").count() == 1
    page.locator("[data-move=next], [aria-label='Next line']").first.click()
    page.locator(".output pre", has_text="no").wait_for()
    assert page.locator(".timeline .chip.output").count() == 2
    assert page.locator(".timeline .chip.slot").count() > 0
    page.locator("[aria-label='One step back']").first.click()
    page.locator(".timeline .arc[data-head='instruction']").wait_for()
    assert "goes through the machine" in page.locator(".explain").inner_text()


@pytest.mark.slow
def test_half_of_it_broken(loaded: tuple) -> None:
    """Without the adder runs go wrong and programs stay; a head of this table says nothing."""
    model, tokenizer = loaded
    with showing(model, KINDS.routines["d1"]):
        results = mutate.measure(model, tokenizer, ["What is 91?"], 1, 1, 200)
        again = mutate.answers(model, tokenizer, ["What is 91?"], 200)
    (healthy,), (broken,) = results["healthy"], results["no adder"]
    assert healthy["exact"] is True and broken["exact"] is not True
    assert healthy["programs"] == broken["programs"] == ["91 show"]
    assert healthy["outputs"] == ["91"] != broken["outputs"]
    assert [one["answers"] for one in results["heads"]] == [again, again] and again == [healthy]
    assert [one["needed"] for one in results["heads"]] == [True, False]
    lines = mutate.table(results).splitlines()
    assert [line.split(" | ")[1:] for line in lines[2:]] == [
        ["0 of 1", "0 of 0", "1", inexact] for inexact in ("0 |", "1 |", "0 |", "0 |")]  # fmt: skip


def test_the_page_has_the_measured_table() -> None:
    docs = Path(__file__).parents[2] / "docs"
    results = json.loads((docs / "one-model/mutations.json").read_text())
    assert mutate.table(results) in (docs / "one-model.md").read_text()
    answers = [row for one in results["heads"] for row in one["answers"]] + results["healthy"]
    assert all(row["exact"] is not False for row in answers)


@pytest.mark.slow
def test_the_recorded_answers_are_those_of_the_native_engine() -> None:
    """The trained model, in one batch, in an environment without this package."""
    path = Path(__file__).parents[2] / "docs/one-model/alone.json"
    answers = json.loads(path.read_text())["answers"]
    with_program = [row for row in answers if row["programs"]]
    assert len(with_program) == 3 and len(answers) == 4
    for row in with_program:
        (program,) = row["programs"]
        assert (row["sha256"], row["steps"]) == machine_hash(program)
        assert row["outputs"] == [evaluate(program)]
