"""Programs of the soft machine, run for what their `main` returns."""

from typing import Any

from transputer.host.result import Result
from transputer.ir.image import Image
from transputer.runtime.soft.program import CompiledSoft


def run_image(image: Image, invoke: str | None = "main", **settings: Any) -> Result:
    return CompiledSoft("program.image", image).run(invoke, **settings)
