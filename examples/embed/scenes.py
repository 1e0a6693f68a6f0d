"""Traffic scenes, drawn: images (3, 32, 32) with what is to be seen on them."""

import numpy as np

from examples.embed.rules import AMBER, GREEN, RED, SEEN, STOP_SIGN, YIELD

SIZE = 32
LAMPS = {RED: (0.95, 0.15, 0.1), AMBER: (0.95, 0.75, 0.1), GREEN: (0.1, 0.9, 0.3)}
_down, _right = np.mgrid[:SIZE, :SIZE]  # the place of each pixel


def scenes(count, seed):
    """Images (count, 3, 32, 32), float32, and labels (count, 4), int64, in the order of `SEEN`."""
    rng = np.random.default_rng(seed)
    labels = np.stack([rng.integers(values, size=count) for values in SEEN.values()], axis=1)
    images = np.stack([draw(label, rng) for label in labels.tolist()])
    return images.astype(np.float32), labels


def draw(label, rng):
    """One scene; places, colours and noise vary."""
    light, sign, person, gap = label
    image = np.empty((3, SIZE, SIZE))
    image[:] = np.reshape(rng.uniform(0.55, 0.95, 3), (3, 1, 1))  # the sky
    _paint(image, _down > 14, rng.uniform(0.2, 0.5, 3))  # the land
    middle = 16 + rng.integers(-1, 2)
    road = (_down > 14) & (abs(_right - middle) < (_down - 10) * 0.6)
    _paint(image, road, rng.uniform(0.3, 0.45))
    if rng.random() < 0.5 or person:  # a crossing, with or without somebody on it
        _paint(image, (_down > 24) & (_down < 29) & (_right % 4 < 2), 0.85)
    if gap < 3:
        _car(image, rng, middle, 7 - 2 * gap)
    if person:
        _person(image, rng)
    if sign:
        _sign(image, rng, sign)
    if light:
        _light(image, rng, light)
    return np.clip(image + rng.normal(0, 0.04, image.shape), 0, 1)


def _paint(image, where, colour):
    image[:, where] = np.reshape(colour, (-1, 1))


def _car(image, rng, middle, half):
    bottom = 15 + 2 * half
    body = (abs(_right - middle) <= half) & (_down > bottom - half - 2) & (_down <= bottom)
    _paint(image, body, rng.uniform(0.0, 0.25, 3))
    lamps = (abs(abs(_right - middle) - half + 1) < 1) & (_down == bottom - 1)
    _paint(image, body & lamps, (0.8, 0.1, 0.1))


def _person(image, rng):
    x, y = rng.integers(4, SIZE - 4), 25 + rng.integers(-1, 2)
    coat = rng.uniform(0.5, 1.0, 3) * (1, 0.4, 1)
    _paint(image, (abs(_right - x) <= 1) & (abs(_down - y) <= 3), coat)
    _paint(image, (_right - x) ** 2 + (_down - y + 5) ** 2 <= 2, (0.95, 0.75, 0.6))


def _sign(image, rng, sign):
    x, y = 5 + rng.integers(-1, 2), 9 + rng.integers(-2, 3)
    _paint(image, (_right == x) & (_down > y) & (_down < y + 11), 0.4)
    if sign == STOP_SIGN:
        _paint(image, (_right - x) ** 2 + (_down - y) ** 2 <= 14, (0.8, 0.05, 0.1))
        _paint(image, (abs(_right - x) <= 2) & (_down == y), 1.0)
    if sign == YIELD:
        wide = abs(_right - x) * 2 <= y + 4 - _down
        _paint(image, wide & (_down >= y - 3), (0.85, 0.1, 0.1))
        _paint(image, (abs(_right - x) * 2 <= y + 1 - _down) & (_down >= y - 1), 1.0)


def _light(image, rng, light):
    x, y = 26 + rng.integers(-1, 2), 8 + rng.integers(-1, 2)
    _paint(image, (abs(_right - x) <= 2) & (abs(_down - y) <= 6), 0.08)
    _paint(image, (_right == x) & (_down > y + 6) & (_down < 22), 0.3)
    for place, (state, colour) in enumerate(LAMPS.items()):
        lamp = (_right - x) ** 2 + (_down - y - 4 * (place - 1)) ** 2 <= 2
        _paint(image, lamp, colour if state == light else 0.2)
