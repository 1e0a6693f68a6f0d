"""Fetch source distributions by package name with pip, and unpack them."""

import hashlib
import os
import subprocess
import sys
import tarfile
from pathlib import Path

from tools.gallery.programs import GalleryProgram


def fetch(program: GalleryProgram, folder: Path) -> Path:
    """Return the folder with the unpacked sources below `folder`, downloaded if missing.

    Exits with pip's message if the download fails, and if the archive is not the expected one.
    """
    stem = f"{program.package}-{program.version}"
    archive = folder / f"{stem}.tar.gz"
    if not archive.is_file():
        _download(program, folder)
    if hashlib.sha256(archive.read_bytes()).hexdigest() != program.sha256:
        sys.exit(f"{archive}: not the archive that the gallery names (SHA-256 differs)")
    if not (folder / stem).is_dir():
        with tarfile.open(archive) as files:
            files.extractall(folder, filter="data")
    return folder / stem


def _download(program: GalleryProgram, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        *("--no-deps", "--no-build-isolation", "--no-binary", program.package),
        *("--dest", str(folder), f"{program.package}=={program.version}"),
    ]
    done = subprocess.run(command, env=os.environ | dict(program.environment), check=False)
    if done.returncode:
        sys.exit(f"pip could not download {program.package} {program.version}")
