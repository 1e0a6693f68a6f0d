"""The benchmark programs: C files with `int run(int n)`, and n for a given number of steps."""

from dataclasses import dataclass, field
from pathlib import Path

from transputer.errors import UsageError

#: Sizes by their approximate number of steps. Slow engines run `small`, whole commands the others.
SMALL, TEN_4, TEN_6, TEN_7, TEN_8 = SIZES = ("small", "10^4", "10^6", "10^7", "10^8")
#: Nine tenths of the context, which some programs have.
LONGEST = "3.9·10^9"
#: A step limit: almost the whole context.
MAX_STEPS = 4_000_000_000


@dataclass(frozen=True, slots=True)
class Workload:
    """One program and its sizes; some programs have no small size."""

    name: str
    sizes: dict[str, int]
    file: str = field(default="")

    @property
    def source(self) -> str:
        """The name of its file."""
        return f"{self.file or self.name}.c"


def _of(name: str, *sizes: int | None, longest: int | None = None, file: str = "") -> Workload:
    pairs = zip((*SIZES, LONGEST), (*sizes, longest), strict=True)
    return Workload(name, {size: n for size, n in pairs if n is not None}, file)


WORKLOADS = (
    _of("countdown", 15, 1_666, 166_666, 1_666_666, 16_666_666, longest=644_245_000),
    _of("sum", 8, 909, 90_909, 909_090, 9_090_909, longest=351_406_000),
    _of("fibonacci", 8, 1_000, 100_000, 1_000_000, 10_000_000, longest=386_547_000),
    _of("fnv1a", 5, 555, 55_555, 555_555, 5_555_555, longest=214_748_000),
    _of("bubble_sort", 2, 27, 288, 916, 2_900),
    _of("primes", 8, 149, 4_362, 25_000, 130_000),
    _of("collatz", 3, 30, 874, 6_000, 52_000),
    _of("matching", None, 1, 76, 760, 7_600),
    _of("sudoku", None, None, 4, 44, 440),
    _of("sha256", None, None, 58, 580, 5_800),
    _of("recursion", 4, 13, 22, 27, 32),
    _of("matrix", None, None, 9, 92, 920),
    _of("sieve", 4, 215, 19_000, 180_000, None),
    _of("nbody", None, 10, 1_000, 10_000, 100_000),
    _of("mandelbrot", 1, 3, 32, 102, 322),
    _of("mix64", 3, 294, 29_400, 294_000, 2_940_000, longest=113_690_000),
    _of("decimal", None, 7, 694, 6_940, 69_400),
    _of("mixed", None, None, 9, 90, 900),
    _of("sieve_1mb", None, None, 19_000, 1 << 20, None, file="sieve"),
)
#: Programs of the quick run.
QUICK = ("sum", "fnv1a", "bubble_sort", "recursion")


def find_sources(start: Path) -> Path:
    """Return the folder examples/bench of the checkout around `start`, or around this package."""
    for place in (start, *start.parents, *Path(__file__).resolve().parents):
        if (folder := place / "examples" / "bench").is_dir():
            return folder
    raise UsageError("no examples/bench; run the benchmark in a checkout")
