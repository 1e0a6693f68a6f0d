"""Pictures of digits: strokes with random corners, slant, size, place and width, and noise."""

import numpy as np
from numpy.typing import NDArray

Pictures = NDArray[np.float32]
Digits = NDArray[np.int64]
SIDE = 8
#: Standard deviation of the noise of a pixel; ink is 1, paper 0.
NOISE = 0.2
#: Corners of each digit's stroke, in a box 4 wide and 6 high.
STROKES: tuple[tuple[tuple[float, float], ...], ...] = (
    ((1, 0), (3, 0), (4, 1), (4, 5), (3, 6), (1, 6), (0, 5), (0, 1), (1, 0)),
    ((1, 1), (2, 0), (2, 6)),
    ((0, 1), (1, 0), (3, 0), (4, 1), (4, 2), (0, 6), (4, 6)),
    ((0, 0), (4, 0), (2, 2.5), (4, 4), (4, 5), (3, 6), (1, 6), (0, 5)),
    ((3, 6), (3, 0), (0, 4), (4, 4)),
    ((4, 0), (0, 0), (0, 3), (3, 2.5), (4, 4), (4, 5), (3, 6), (0, 6)),
    ((4, 0), (1, 2), (0, 4), (0, 5), (1, 6), (3, 6), (4, 5), (4, 4), (3, 3), (0, 4)),
    ((0, 0), (4, 0), (1, 6)),
    ((1, 3), (0, 2), (0, 1), (1, 0), (3, 0), (4, 1), (4, 2), (3, 3), (1, 3), (0, 4), (0, 5), (1, 6),
     (3, 6), (4, 5), (4, 4), (3, 3)),
    ((4, 2), (1, 3), (0, 2), (0, 1), (1, 0), (3, 0), (4, 1), (4, 2), (3, 6)),
)  # fmt: skip


def pictures(digits: Digits, rng: np.random.Generator) -> Pictures:
    """Return a picture (SIDE, SIDE) for each digit."""
    drawn = np.zeros((*digits.shape, SIDE, SIDE), dtype=np.float32)
    for digit in range(len(STROKES)):
        places = digits == digit
        drawn[places] = _drawn(_corners(digit, int(places.sum()), rng), rng)
    return drawn + np.asarray(rng.normal(0, NOISE, drawn.shape), dtype=np.float32)


def _corners(digit: int, count: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Corners of `count` strokes, in pixels: (count, corners, 2)."""
    points = np.array(STROKES[digit], dtype=np.float64) - (2, 3)
    points = points + rng.normal(0, 0.25, (count, *points.shape))
    points *= rng.uniform(0.75, 1.1, (count, 1, 2))
    points[..., 0] += rng.uniform(-0.25, 0.25, (count, 1)) * points[..., 1]
    middle = (SIDE - 1) / 2
    moved: NDArray[np.float64] = points + middle + rng.uniform(-1, 1, (count, 1, 2))
    return moved


def _drawn(corners: NDArray[np.float64], rng: np.random.Generator) -> Pictures:
    """Ink by the distance of a pixel from the nearest segment, for each stroke."""
    y, x = np.mgrid[:SIDE, :SIDE]
    pixels = np.stack([x, y], axis=-1).reshape(1, SIDE * SIDE, 1, 2)
    start, end = corners[:, None, :-1], corners[:, None, 1:]
    along = end - start
    length = np.maximum((along**2).sum(-1), 1e-9)
    share = (((pixels - start) * along).sum(-1) / length).clip(0, 1)
    distance = np.linalg.norm(pixels - start - share[..., None] * along, axis=-1).min(-1)
    width = rng.uniform(0.5, 0.9, (len(corners), 1))
    ink: Pictures = np.clip(1.2 - 0.8 * distance / width, 0, 1).astype(np.float32)
    return ink.reshape(-1, SIDE, SIDE)
