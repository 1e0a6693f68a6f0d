"""C from strangers: what would read a file is refused, and nothing of the file is told."""

from pathlib import Path

import pytest

from transputer.errors import TransputerError
from transputer.frontends.c import compile_c
from transputer.frontends.confined import check_confined

SECRET = "xyzzy_plugh_1977"


@pytest.mark.parametrize(
    "text",
    [
        '#include "{0}"',
        "#include <{0}>",
        '  #  include /* here */ "{0}"',
        '#inc\\\nlude "{0}"',
        '#include \\\n "{0}"',
        '%:include "{0}"',
        '#include_next "{0}"',
        '#import "{0}"',
        '#define F "{0}"\n#include F',
        'static const char a[] = {{\n#embed "{0}"\n}}; int f(int i) {{ return a[i]; }}',
        '#/**/embed "{0}"',
        'asm(".incbin \\"{0}\\""); int f(void) {{ return 1; }}',
        'int f(void) {{ __asm__(".incbin \\"{0}\\""); return 1; }}',
        '#include "../../../../../../../../../..{0}"',
        '#include "x/../../..{0}"',
        'const char *s = R"(" \n#include "{0}"\n")";',
        '/* " */\n#include "{0}"\n/* " */',
        "??=include <{0}>",
    ],
)
def test_files_are_not_read(text: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.h"
    secret.write_text(f"{SECRET} {SECRET};\n")
    place = tmp_path / "apart"
    place.mkdir()
    (place / "program.c").write_text(text.format(secret) + "\nint g(void) { return 2; }\n")
    with pytest.raises(TransputerError) as refused:
        compile_c(place / "program.c", confined=True)
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        '#include "transputer.h"\nint main(void) { tp_write(65); return 0; }',
        "#include <stdint.h>\nint32_t f(int32_t x) { return x; }",
        '// #included "things"\nint include(int x) { return x; }',
        "#if __has_include(<stddef.h>)\n#include <stddef.h>\n#endif\nsize_t f(void) { return 3; }",
    ],
)
def test_what_a_program_needs_is_there(text: str, tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(text)
    assert compile_c(tmp_path / "program.c", confined=True).startswith(b"\0asm")


def test_the_place_is_told() -> None:
    with pytest.raises(TransputerError, match=r"^a\.c:4:1: #include F: only headers"):
        check_confined("int a;\n#define \\\nF 1\n#include F\n", "a.c")
