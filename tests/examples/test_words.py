"""The examples of questions in words are true."""

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "examples" / "words"


def test_questions_have_the_answers_beside_them(cli):
    ran = cli("ask", "--file", FOLDER / "questions.txt", "--check", "--no-model")
    assert ran.code == 0
    assert ran.out == (FOLDER / "answers.txt").read_text()


def test_a_front_end_of_ones_own():
    done = subprocess.run(
        [sys.executable, FOLDER / "planner.py"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "(80 * 3) = 240, says per-hour\n"
