"""What the tests of folders for the transformers library share.

`HF_PYTHON` names a Python with torch, transformers and safetensors alone (`make hf-alone`); without
it, a folder is run by this one, isolated from the package.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

#: Where accelerate may place weights: one device, or where there is room.
PLACES = ("cpu", "auto")


def loaded_folder(folder: Path, kind: Any = AutoModelForCausalLM, **how: Any) -> tuple[Any, Any]:
    """The model and the tokenizer of a folder, on one thread, with nothing fetched."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    torch.set_num_threads(1)
    model = kind.from_pretrained(folder, trust_remote_code=True, **how)
    return model, AutoTokenizer.from_pretrained(folder, trust_remote_code=True)


def has_our_sources(folder: Path, sources: Mapping[str, str]) -> bool:
    """Whether the folder's code is the package's, byte for byte, and imports nothing of it."""
    return all(
        (folder / name).read_bytes() == files(package).joinpath(name).read_bytes()
        and "transputer." not in (folder / name).read_text().replace("`transputer.", "")
        for name, package in sources.items()
    )


def alone(script: str, folder: Path, *arguments: object) -> Any:
    """What a script beside this file prints, in a process that cannot import this package."""
    python = os.environ.get("HF_PYTHON", sys.executable)
    path = Path(__file__).with_name(script)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    ended = subprocess.run(
        [python, "-I", str(path), str(folder), *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**environment, "HF_HUB_OFFLINE": "1"},
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    return json.loads(ended.stdout)
