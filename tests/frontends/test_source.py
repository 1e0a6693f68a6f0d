"""Reading the user's files: every way a file can be unreadable is one line."""

import os

import pytest

from transputer.errors import MalformedError, UsageError
from transputer.frontends import source


def test_reads_bytes_and_text_as_they_are(tmp_path):
    file = tmp_path / "two words.wat"
    file.write_bytes("é\r\n\t;;".encode())
    assert source.read_bytes(file) == b"\xc3\xa9\r\n\t;;"
    assert source.read_text(str(file)) == "é\r\n\t;;"


def test_empty_file(tmp_path):
    (tmp_path / "empty").touch()
    assert source.read_text(tmp_path / "empty") == ""


@pytest.mark.parametrize("read", [source.read_bytes, source.read_text, source.require_file])
def test_missing_file(tmp_path, read):
    file = tmp_path / "none.wat"
    with pytest.raises(UsageError) as caught:
        read(file)
    assert str(caught.value) == f"{file}: no such file"


def test_directory(tmp_path):
    with pytest.raises(UsageError) as caught:
        source.read_bytes(tmp_path)
    assert str(caught.value) == f"{tmp_path}: is a directory, not a file"


def test_dangling_link_and_file_used_as_directory(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="no such file"):
        source.read_bytes(tmp_path / "link")
    with pytest.raises(UsageError, match="Not a directory"):
        source.read_bytes(tmp_path / "file" / "inside")


def test_permission_denied(tmp_path, monkeypatch):
    file = tmp_path / "secret"
    file.touch()
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may read everything
    with pytest.raises(UsageError) as caught:
        source.read_bytes(file)
    assert str(caught.value) == f"{file}: permission denied"


def test_name_that_is_no_file_name():
    with pytest.raises(UsageError) as caught:
        source.read_bytes("a\0b")
    assert str(caught.value) == r"'a\x00b': not a file name"


def test_name_too_long():
    with pytest.raises(UsageError, match="File name too long"):
        source.read_bytes("x" * 5000)


def test_huge_file_is_refused_by_its_size_alone(tmp_path):
    file = tmp_path / "huge"
    with open(file, "wb") as sparse:
        sparse.truncate(source.LIMIT + 1)
    with pytest.raises(UsageError) as caught:
        source.read_bytes(file)
    assert str(caught.value) == f"{file}: 536,870,913 bytes; the limit is 536,870,912 bytes"


def test_endless_device_is_refused(monkeypatch):
    monkeypatch.setattr(source, "LIMIT", 1000)
    with pytest.raises(UsageError, match="/dev/zero: endless; at most 1,000 bytes"):
        source.read_bytes("/dev/zero")


def test_text_that_is_not_utf8_names_the_offset(tmp_path):
    file = tmp_path / "latin.wat"
    file.write_bytes(b"(module) ;; caf\xe9\n")
    with pytest.raises(MalformedError) as caught:
        source.read_text(file)
    assert str(caught.value) == f"{file}:0xf: not UTF-8 text (byte 0xe9)"
    assert caught.value.place.offset == 15
