"""Fetch source distributions by package name with pip, and unpack them."""

import hashlib
import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class SourcePackage:
    """A source distribution: its name, version and SHA-256, and the environment that pip needs.

    pip asks the package for its own name, for which it builds as much as the package wants to.
    """

    name: str
    version: str
    sha256: str
    environment: Mapping[str, str] = field(default_factory=dict)


def fetch(package: SourcePackage, folder: Path) -> Path:
    """Return the folder with the unpacked sources below `folder`, downloaded if missing.

    Exits with pip's message if the download fails, and if the archive is not the expected one.
    """
    stem = f"{package.name}-{package.version}"
    archive = folder / f"{stem}.tar.gz"
    if not archive.is_file():
        _download(package, folder)
    if hashlib.sha256(archive.read_bytes()).hexdigest() != package.sha256:
        sys.exit(f"{archive}: not the expected archive (SHA-256 differs)")
    if not (folder / stem).is_dir():
        with tarfile.open(archive) as files:
            files.extractall(folder, filter="data")
    return folder / stem


def _download(package: SourcePackage, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        *("--no-deps", "--no-binary", package.name, "--dest", str(folder)),
        f"{package.name}=={package.version}",
    ]
    done = subprocess.run(command, env={**os.environ, **package.environment}, check=False)
    if done.returncode:
        sys.exit(f"pip could not download {package.name} {package.version}")
