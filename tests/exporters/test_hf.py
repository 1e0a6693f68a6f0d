"""Folders for the transformers library: they decode the tokens of our engines."""

import hashlib
import json
from pathlib import Path

import pytest

import transputer as tp
from transputer.errors import UsageError
from transputer.exporters.hf import SOURCES, folder_contents
from transputer.machines.trace.universal import model
from transputer.runtime.trace.sessions import new_engine

pytest.importorskip("transformers")
import torch  # noqa: E402

from tests.exporters.hf_folders import (  # noqa: E402
    PLACES,
    alone,
    has_our_sources,
    loaded_folder,
)

ROOT = Path(__file__).parents[2]
BINARY = """i32.add i32.sub i32.mul i32.div_s i32.div_u i32.rem_s i32.rem_u i32.and i32.or i32.xor
    i32.shl i32.shr_s i32.shr_u i32.rotl i32.rotr i64.add i64.sub i64.mul i64.div_s i64.rem_s
    i64.and i64.xor i64.shl i64.shr_u i64.rotl f32.add f32.mul f32.div f64.add f64.sub f64.mul
    f64.div""".split()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hf") / "gcd"
    gcd = tp.compile(ROOT / "examples/c/gcd.c")
    gcd.export("hf", path, invoke="gcd", args=[48, 36])
    return path


@pytest.fixture(scope="module")
def loaded(folder: Path) -> tuple:
    return loaded_folder(folder)


def sha(tokens: list) -> str:
    return hashlib.sha256(bytes(v for token in tokens for v in token)).hexdigest()


def test_the_code_is_that_of_the_engine(folder: Path) -> None:
    assert has_our_sources(folder, SOURCES)


@pytest.mark.parametrize("place", (None, *PLACES))
def test_gcd_is_our_run(folder: Path, place: str | None) -> None:
    """Wherever accelerate places the weights, too."""
    if place:
        pytest.importorskip("accelerate")
    machine, tokenizer = loaded_folder(folder, device_map=place)
    prompt = tokenizer(args=[48, 36])
    tokens = machine.generate(**prompt)[0]
    decoded = tokens[prompt["input_ids"].size(1) :].tolist()
    expected = tp.run(ROOT / "examples/c/gcd.c", invoke="gcd", args=[48, 36])
    assert sha(decoded) == expected.trace_sha256 and len(decoded) == expected.steps
    assert tokenizer.results(decoded) == [12] and tokenizer.status(decoded) == "DONE"


def test_attention_hidden_states_and_the_cache(loaded: tuple) -> None:
    machine, tokenizer = loaded
    ids = tokenizer(args=[48, 36])["input_ids"]
    output = machine(ids, output_attentions=True, output_hidden_states=True, use_cache=True)
    assert output.logits.dtype == torch.float64
    assert all(a.unique().tolist() == [0, 1] for a in output.attentions)
    assert len(output.hidden_states) == machine.config.num_hidden_layers + 1
    following = output.logits[:, -1:].argmax(-1)
    again = machine(following, past_key_values=output.past_key_values).logits[:, -1]
    whole = machine(torch.cat([ids, following], 1)).logits[:, -1]
    assert torch.equal(again, whole)
    assert torch.equal(machine.half()(ids).logits, output.logits)  # stays float64


def test_a_padded_batch_is_its_rows(loaded: tuple) -> None:
    machine, tokenizer = loaded
    short = tokenizer.prompt(args=[48, 36])
    prompts = [short, short[:-1] + short[-2:-1] + short[-1:]]  # the last argument twice
    batch = tokenizer.pad_prompts(prompts)
    rows = machine.generate(**batch, max_new_tokens=30).tolist()
    for prompt, row in zip(prompts, rows, strict=True):
        single = machine.generate(torch.tensor([prompt]), max_new_tokens=30)[0].tolist()
        width = len(batch["input_ids"][0])
        decoded = single[len(prompt) :]
        assert row[width : width + len(decoded)] == decoded
    left = machine(**batch).logits
    alone = machine(torch.tensor([prompts[0]])).logits
    assert torch.equal(left[0, -len(prompts[0]) :], alone[0])


def test_what_is_not_exact_is_refused(loaded: tuple, tmp_path: Path) -> None:
    machine, tokenizer = loaded
    prompt = tokenizer(args=[48, 36])
    with pytest.raises(ValueError, match="do_sample=True"):
        machine.generate(**prompt, do_sample=True)
    with pytest.raises(ValueError, match="gcd takes 2 arguments"):
        tokenizer(args=[48])
    with pytest.raises(ValueError, match="does not fit an i32"):
        tokenizer(args=[2**32, 1])
    with pytest.raises(UsageError, match="exports to hf"):
        tp.export_model("trace", "onnx", tmp_path)


def test_a_group_is_read_patched_and_ablated(loaded: tuple) -> None:
    machine, tokenizer = loaded
    ids = tokenizer(args=[48, 36])["input_ids"]
    logits = machine(ids).logits
    name = "heads.instruction"
    with machine.probe.cache(name) as activations:
        machine(ids)
    with machine.probe.patch({name: activations[name]}):
        assert torch.equal(machine(ids).logits, logits)
    with machine.probe.ablate(name):
        assert not torch.equal(machine(ids).logits, logits)
    assert torch.equal(machine(ids).logits, logits)  # hooks are gone
    with pytest.raises(KeyError, match="no group 'heads.nothing'"):
        machine.probe["heads.nothing"]
    assert machine.probe.lane("pc0") == model().names.index("pc0 | next space")


@pytest.mark.slow
def test_alone_a_batch_of_32_programs(tmp_path: Path) -> None:
    folder = tmp_path / "trace"
    tp.export_model("trace", "hf", folder)
    programs, expected = [], []
    for name in BINARY:
        kind = name.split(".")[0]
        text = f"""(module (func (export "f") (param {kind} {kind}) (result {kind})
            local.get 0 local.get 1 {name}))"""
        program = tp.compile(source=text, kind="wat")
        args = [12.5, -3.25] if kind[0] == "f" else [-1234567, 89]
        path = tmp_path / f"{name}.json"
        program.export("prompt", path, invoke="f")
        start = json.loads(path.read_text())
        result = program.run(invoke="f", args=args)
        start["defaults"] = [int(b) for b in bits_of(kind, args)]
        path.write_text(json.dumps(start))
        programs.append(path)
        expected.append((result.trace_sha256, result.steps, result.results))
    rows = alone("hf_run.py", folder, 200, *programs)
    assert [(r["sha256"], r["steps"], r["results"]) for r in rows] == expected


def bits_of(kind: str, args: list) -> list[int]:
    import struct

    form = {"i32": "<i", "i64": "<q", "f32": "<f", "f64": "<d"}[kind]
    return [int.from_bytes(struct.pack(form, arg), "little") for arg in args]


@pytest.mark.slow
def test_alone_gcd_and_the_start_of_sudoku(folder: Path, tmp_path: Path) -> None:
    (row,) = alone("hf_run.py", folder, 1000, folder / "program.json")
    gcd = tp.run(ROOT / "examples/c/gcd.c", invoke="gcd", args=[48, 36], engine="reference")
    assert (row["sha256"], row["results"]) == (gcd.trace_sha256, [12])
    path = tmp_path / "sudoku.json"
    tp.compile(ROOT / "examples/c/sudoku.c").export("prompt", path)
    start = json.loads(path.read_text())
    engine = new_engine("native", model())
    for token in [*start["before"], *start["arguments"], *start["after"]]:
        engine.append(tuple(token))
    decoded = [engine.step() for _ in range(2000)]
    (row,) = alone("hf_run.py", folder, 2000, path)
    assert (row["sha256"], row["steps"]) == (sha(decoded), 2000)


def test_the_folder_says_which_weights_it_has() -> None:
    contents = folder_contents(model(), None)
    assert "program.json" not in contents and contents["README.md"].startswith(b"---\nlicense")
