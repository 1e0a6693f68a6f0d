"""`transputer chat` without a model: one line that says what is missing and how to get it.

Conversations are in `tests/exporters/test_hf_joint.py`, which needs transformers.
"""

import json
from pathlib import Path

import pytest

from transputer.errors import EngineUnavailable, UsageError
from transputer.exporters.decoded import SequenceEvent
from transputer.runtime import chat


def test_without_a_model_it_says_how_to_get_one(cli, monkeypatch) -> None:
    monkeypatch.delenv("TRANSPUTER_CHAT", raising=False)
    code, out, err = cli("chat", "What is 1 plus 1?")
    assert (code, out) == (2, "") and err.count("\n") == 1
    assert "--model FOLDER" in err and "docs/one-model.md" in err


@pytest.mark.parametrize("missing", ["torch", "transformers"])
def test_without_a_library_it_says_how_to_install_it(monkeypatch, tmp_path, missing: str) -> None:
    monkeypatch.setattr(chat, "find_spec", lambda name: None if name == missing else object())
    with pytest.raises(EngineUnavailable, match=r"pip install 'transputer\[hf\]'"):
        chat.Conversation(tmp_path)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (None, "no model folder; docs/one-model.md"),
        ("{", "config.json cannot be read"),
        (json.dumps({"model_type": "llama"}), "not a language model with the machine inside"),
        (json.dumps([]), "not a language model with the machine inside"),
    ],
)
def test_what_is_no_model_is_refused(monkeypatch, tmp_path: Path, config, message: str) -> None:
    monkeypatch.setattr(chat, "find_spec", lambda name: object())
    if config is not None:
        (tmp_path / "config.json").write_text(config)
    with pytest.raises(UsageError, match=message):
        chat.Conversation(tmp_path)


def test_the_number_of_steps_grows_on_a_terminal() -> None:
    """Backspaces go over the number that was shown last."""
    token = [0] * 33
    names = ["code", "routine", "run", "step", "step", "out", "done"]
    texts = {"routine": "show", "out": "7"}
    events = [SequenceEvent(name, texts.get(name, ""), token) for name in names]
    plain, live = chat.FoldedRuns(), chat.FoldedRuns(live=True)
    assert "".join(map(plain.put, events)) == "⟨show: 3 steps⟩7"
    screen: list[str] = []
    for character in "".join(map(live.put, events)):
        screen = screen[:-1] if character == "\b" else [*screen, character]
    assert "".join(screen) == "⟨show: 3 steps⟩7"
