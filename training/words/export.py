"""Trained weights as int8 with one scale per row, in files that a repository can hold."""

from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from torch import nn

#: No file is larger than this.
LARGEST = 15_000_000


def quantised(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A matrix as int8 and the scale of each of its rows."""
    scale = np.abs(weights).max(1, keepdims=True) / 127
    scale[scale == 0] = 1
    return np.rint(weights / scale).astype(np.int8), scale[:, 0].astype(np.float32)


def export(model: nn.Module, stem: Path) -> list[Path]:
    """Write `STEM-1.safetensors` and `STEM-2.safetensors`: the text's side, then the plan's."""
    files: list[dict[str, np.ndarray]] = [{}, {}]
    for name, tensor in model.state_dict().items():
        value = tensor.detach().float().numpy()
        target = files[0 if name.startswith(("words", "places", "tokens", "steps")) else 1]
        if value.ndim == 2:
            target[name], target[f"{name}.scale"] = quantised(value)
        else:
            target[name] = value.astype(np.float32)
    paths = []
    for index, tensors in enumerate(files, 1):
        path = stem.with_name(f"{stem.name}-{index}.safetensors")
        save_file(tensors, path)
        if path.stat().st_size > LARGEST:
            raise SystemExit(f"{path} has {path.stat().st_size:,} bytes; at most {LARGEST:,}")
        paths.append(path)
    return paths
