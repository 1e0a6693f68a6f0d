"""Random functions with loops, as text: what code for hot nodes keeps in variables."""

import random

_WIDE = ("i32.load", "i32.load8_s", "i32.load8_u", "i32.load16_s", "i32.load16_u")
_WIDER = ("i64.load", "i64.load8_s", "i64.load16_s", "i64.load32_s", "i64.load32_u")
_STORES = ("i32.store", "i32.store8", "i32.store16")
_OPS = ("add", "sub", "mul", "and", "or", "xor", "shl", "shr_u", "shr_s", "rotl")
_TESTS = ("lt_s", "lt_u", "gt_s", "ge_u", "le_s", "eq", "ne")


class LoopWriter:
    """Writes `(func $f (param i32) (result i64))` with nested loops, from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._labels = 0

    def module(self) -> str:
        """The whole module."""
        body = self._loop(0)
        return f"""(module (memory 1)
  (func $g (param i32 i32) (result i32)
    (i32.sub (i32.mul (local.get 0) (i32.const 3)) (local.get 1)))
  (func (export "f") (param i32) (result i64)
    (local $a i32) (local $b i32) (local $i i32) (local $j i32) (local $k i32) (local $x i64)
    (local.set $a (local.get 0)) (local.set $x (i64.const {self._random.getrandbits(62)}))
    {body}
    (i64.xor (local.get $x) (i64.add (i64.extend_i32_u (local.get $a))
      (i64.extend_i32_s (i32.load (i32.and (local.get $b) (i32.const 255)))))))
)"""

    def _statements(self, depth: int) -> str:
        count = self._random.randint(2, 4)
        return "\n    ".join(self._statement(depth) for _ in range(count))

    def _statement(self, depth: int) -> str:
        choice = self._random.random()
        if choice < 0.3 and depth < 3:
            return self._loop(depth)
        if choice < 0.42 and depth < 4:
            return f"(if {self._test()} (then {self._statements(4)}) (else {self._statements(4)}))"
        if choice < 0.6:
            name = self._random.choice(_STORES)
            return f"({name} offset={self._random.randint(0, 9)} {self._address()} {self._short()})"
        if choice < 0.75:
            name = self._random.choice("add sub xor mul and rotl".split())
            return f"(local.set $x (i64.{name} (local.get $x) {self._long()}))"
        name = self._random.choice("ab")
        return f"(local.set ${name} {self._short()})"

    def _loop(self, depth: int) -> str:
        self._labels += 1
        label, counter = f"$l{self._labels}", "ijk"[depth]
        times = self._random.randint(6, 14) if depth else self._random.randint(25, 60)
        leaves = ""
        if self._random.random() < 0.3:
            leaves = f"(br_if $o{label[1:]} (i32.eq (local.get $a) (i32.const 12345)))"
        return f"""(local.set ${counter} (i32.const {times}))
    (block $o{label[1:]} (loop {label} {self._statements(depth + 1)} {leaves}
      (br_if {label} (local.tee ${counter} (i32.sub (local.get ${counter}) (i32.const 1))))))"""

    def _address(self) -> str:
        return f"(i32.and {self._leaf()} (i32.const 1023))"

    def _leaf(self) -> str:
        names = "abijk"
        return f"(local.get ${self._random.choice(names)})"

    def _test(self) -> str:
        return f"(i32.{self._random.choice(_TESTS)} {self._leaf()} {self._short()})"

    def _short(self) -> str:
        choice = self._random.random()
        if choice < 0.2:
            return f"(i32.const {self._random.randint(-9, 9) << self._random.choice((0, 7, 27))})"
        if choice < 0.45:
            offset = self._random.randint(0, 9)
            return f"({self._random.choice(_WIDE)} offset={offset} {self._address()})"
        if choice < 0.5:
            return f"(call $g {self._leaf()} {self._leaf()})"
        if choice < 0.6:
            return "(i32.wrap_i64 (local.get $x))"
        if choice < 0.65:
            return f"(select {self._leaf()} {self._leaf()} {self._test()})"
        return f"(i32.{self._random.choice(_OPS)} {self._leaf()} {self._leaf()})"

    def _long(self) -> str:
        choice = self._random.random()
        if choice < 0.4:
            return f"({self._random.choice(_WIDER)} {self._address()})"
        return f"(i64.extend_i32_{self._random.choice('su')} {self._short()})"
