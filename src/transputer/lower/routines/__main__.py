"""Compile the routines with clang and write `numbers.wat`: python -m transputer.lower.routines."""

from transputer.lower.routines import TARGET, compiled

if __name__ == "__main__":
    TARGET.write_text(compiled(), encoding="utf-8")
