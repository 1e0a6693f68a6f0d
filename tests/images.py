"""Programs of the soft machine, run for what their `main` returns."""

from typing import Any

from transputer.host.result import Result
from transputer.ir.image import Image
from transputer.runtime.soft.program import SoftProgram


def run_image(image: Image, **settings: Any) -> Result:
    return SoftProgram("program.image", image).run("main", **settings)
