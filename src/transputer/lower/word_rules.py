"""What each instruction on 64-bit integers and floats becomes in words.

Short ones are written out; the others are calls of routines that are named like them. Words of a
value: the low one is below the high one.
"""

from collections.abc import Callable, Iterable

from transputer.ir.halves import words
from transputer.ir.module import FuncType, Instr
from transputer.isa.op import Registry, ValType
from transputer.isa.wasm import WASM
from transputer.lower.words import Word, Writer, constant, value_of

WORD = 0xFFFFFFFF
SIGN = 0x80000000
ZERO = constant(0)

#: Writes an instruction; operands and results are tracked as words only.
Rule = Callable[["Words", Instr], None]
RULES: Registry[Rule] = Registry(WASM)


class Words(Writer):
    """A writer that also knows routines."""

    def __init__(self, type_: FuncType, local_types: Iterable[ValType]) -> None:
        super().__init__(type_, local_types)
        self.calls: list[tuple[int, str]] = []  # where which routine is called

    def call(self, name: str, takes: int, leaves: int) -> None:
        """Call a routine on words that are on the stack."""
        self.flush()
        self.settle(1)
        self.calls.append((len(self.body), name))
        self.emit("call", 0)
        del self.words[len(self.words) - takes :]
        self.push(*(None,) * leaves)


def routine(w: Words, item: Instr) -> None:
    """Any instruction that has no rule: the routine of its name, on all words."""
    takes, leaves = (sum(len(words(t)) for t in ts) for ts in (item.op.params, item.op.results))
    w.call(item.name, takes, leaves)


@RULES.on("i64.const", "f64.const")
def _const64(w: Words, item: Instr) -> None:
    w.push(constant(item.args[0]), constant(item.args[0] >> 32))


@RULES.on("i32.const", "f32.const")
def _const32(w: Words, item: Instr) -> None:
    w.push(constant(item.args[0]))


@RULES.on(
    "f32.reinterpret_i32", "i32.reinterpret_f32", "f64.reinterpret_i64", "i64.reinterpret_f64"
)
def _reinterpret(w: Words, item: Instr) -> None:
    """The words are the same."""


@RULES.on("i32.wrap_i64")
def _wrap(w: Words, item: Instr) -> None:
    w.drop()


@RULES.on("i64.extend_i32_u")
def _extend_u(w: Words, item: Instr) -> None:
    w.push(ZERO)


@RULES.on("i64.extend_i32_s")
def _extend_s(w: Words, item: Instr) -> None:
    (low,) = w.take(1)
    if (value := value_of(low)) is not None:
        w.push(low, constant(-(value >> 31)))
        return
    w.use(low)
    _sign_above(w, low)


def _sign_above(w: Words, low: Word) -> None:
    """Behind a low word on the stack, the word that repeats its sign."""
    if low is None:
        w.double()
    else:
        w.use(low)
    w.emit("i32.const", 31)
    w.emit("i32.shr_s")
    w.push(None, None)


@RULES.on("i64.extend8_s", "i64.extend16_s", "i64.extend32_s")
def _extend_inside(w: Words, item: Instr) -> None:
    w.drop()
    (low,) = w.take(1)
    w.use(low)
    if item.name != "i64.extend32_s":
        w.emit(item.name.replace("i64", "i32"))
        low = None
    _sign_above(w, low)


# Arithmetic


@RULES.on("i64.add")
def _add(w: Words, item: Instr) -> None:
    """The sum's low word is below an addend's exactly if there is a carry."""
    taken = w.take(4)
    if value_of(taken[2]) == 0:
        _only_high(w, taken, "i32.add")
        return
    al, ah, bl, bh = w.hold(taken)
    w.use(al, bl)
    w.emit("i32.add")
    w.double()
    w.use(bl)
    w.emit("i32.lt_u")
    for high in (ah, bh):
        if value_of(high) != 0:
            w.use(high)
            w.emit("i32.add")
    w.push(None, None)


@RULES.on("i64.sub")
def _sub(w: Words, item: Instr) -> None:
    taken = w.take(4)
    if value_of(taken[2]) == 0:
        _only_high(w, taken, "i32.sub")
        return
    al, ah, bl, bh = w.hold(taken)
    again = w.kept(al)
    w.use(bl)
    w.emit("i32.sub")
    w.use(ah)
    if value_of(bh) != 0:
        w.use(bh)
        w.emit("i32.sub")
    w.use(again, bl)
    w.emit("i32.lt_u")
    w.emit("i32.sub")
    w.push(None, None)


def _only_high(w: Words, taken: list[Word], name: str) -> None:
    """An operation with a right operand that leaves the low word alone."""
    al, ah, _, bh = taken
    if value_of(bh) == 0:
        w.push(al, ah)
        return
    w.use(al, ah, bh)
    w.emit(name)
    w.push(None, None)


@RULES.on("i64.mul")
def _mul(w: Words, item: Instr) -> None:
    al, ah, bl, bh = w.words[-4:]
    if value_of(ah) == 0 and value_of(bh) == 0:
        w.take(4)
        w.push(al, bl)
        w.call("mul.wide", 2, 2)
        return
    w.call("i64.mul", 4, 2)


_NEUTRAL = {"i64.and": WORD, "i64.or": 0, "i64.xor": 0}
_FIXED = {("i64.and", 0): 0, ("i64.or", WORD): WORD}


@RULES.on("i64.and", "i64.or", "i64.xor")
def _bitwise(w: Words, item: Instr) -> None:
    """Words do not mix; a constant may leave one as it is, or fix it."""
    name, neutral = item.name, _NEUTRAL[item.name]
    taken = w.take(4)
    al, ah, bl, bh = taken
    fixed_low, fixed_high = (_FIXED.get((name, _known(b))) for b in (bl, bh))
    if value_of(bl) == neutral:
        if fixed_high is not None:
            _forget(w, ah)
            w.push(al, constant(fixed_high))
        else:
            _high_word(w, taken, neutral, name.replace("i64", "i32"))
        return
    al, ah, bl, bh = w.hold(taken)
    if fixed_low is None:
        w.use(al, bl)
        w.emit(name.replace("i64", "i32"))
    else:
        _forget(w, al)
        w.use(constant(fixed_low))
    if fixed_high is not None:
        w.push(None, constant(fixed_high))
        return
    w.use(ah)
    if value_of(bh) != neutral:
        w.use(bh)
        w.emit(name.replace("i64", "i32"))
    w.push(None, None)


def _known(word: Word) -> int:
    value = value_of(word)
    return -1 if value is None else value


def _forget(w: Words, word: Word) -> None:
    """Get rid of a word that was taken."""
    if word is None:
        w.emit("drop")


def _high_word(w: Words, taken: list[Word], neutral: int, name: str) -> None:
    al, ah, _, bh = taken
    if value_of(bh) == neutral:
        w.push(al, ah)
        return
    w.use(al, ah, bh)
    w.emit(name)
    w.push(None, None)


# Shifts


@RULES.on("i64.shl", "i64.shr_u", "i64.shr_s", "i64.rotl", "i64.rotr")
def _shift(w: Words, item: Instr) -> None:
    """By a constant, written out; otherwise the routine, which needs no high word of the count."""
    amount = value_of(w.words[-2])
    if amount is None:
        w.drop()
        w.call(item.name, 3, 2)
        return
    low, high, _, _ = w.take(4)
    amount %= 64
    if item.name in ("i64.rotl", "i64.rotr"):
        left = amount if item.name == "i64.rotl" else -amount % 64
        _rotate(w, low, high, left)
    elif amount == 0:
        w.push(low, high)
    elif item.name == "i64.shl":
        _shift_left(w, low, high, amount)
    else:
        _shift_right(w, low, high, amount, item.name.replace("i64", "i32"))


def _moved(w: Words, word: Word, name: str, amount: int) -> None:
    w.use(word)
    if amount:
        w.emit("i32.const", amount)
        w.emit(name)


def _shift_left(w: Words, low: Word, high: Word, amount: int) -> None:
    if amount >= 32:
        _forget(w, high)
        if low is None and amount > 32:
            _moved(w, low, "i32.shl", amount - 32)
            amount = 32
        (held,) = w.hold([low], 0)
        w.use(ZERO)
        _moved(w, held, "i32.shl", amount - 32)
    else:
        low, high = w.hold([low, high])
        again = w.kept(low)
        w.emit("i32.const", amount)
        w.emit("i32.shl")
        _moved(w, high, "i32.shl", amount)
        _moved(w, again, "i32.shr_u", 32 - amount)
        w.emit("i32.or")
    w.push(None, None)


def _shift_right(w: Words, low: Word, high: Word, amount: int, name: str) -> None:
    low, high = w.hold([low, high])
    if amount >= 32:
        _forget(w, low)
        _moved(w, high, name, amount - 32)
        if name == "i32.shr_u":
            w.push(None, ZERO)
            return
        _moved(w, high, "i32.shr_s", 31)
    else:
        _moved(w, low, "i32.shr_u", amount)
        _moved(w, high, "i32.shl", 32 - amount)
        w.emit("i32.or")
        _moved(w, high, name, amount)
    w.push(None, None)


def _rotate(w: Words, low: Word, high: Word, left: int) -> None:
    """By 32 or more, the words change places first."""
    if left % 32 == 0:
        if left:
            low, high = w.hold([low, high], 0)
            w.use(high, low)
            w.push(None, None)
        else:
            w.push(low, high)
        return
    low, high = w.hold([low, high], 0)
    if left > 32:
        low, high = high, low
    for first, second in ((low, high), (high, low)):
        _moved(w, first, "i32.shl", left % 32)
        _moved(w, second, "i32.shr_u", 32 - left % 32)
        w.emit("i32.or")
    w.push(None, None)


# Comparisons


@RULES.on("i64.eqz")
def _eqz(w: Words, item: Instr) -> None:
    w.use(*w.take(2))
    w.emit("i32.or")
    w.emit("i32.eqz")
    w.push(None)


@RULES.on("i64.eq", "i64.ne")
def _equal(w: Words, item: Instr) -> None:
    taken = w.take(4)
    zero = value_of(taken[2]) == 0 and value_of(taken[3]) == 0
    al, ah, bl, bh = taken if zero else w.hold(taken)
    for a, b in ((al, bl), (ah, bh)):
        w.use(a)
        if value_of(b) != 0:
            w.use(b)
            w.emit("i32.xor")
    w.emit("i32.or")
    if item.name == "i64.eq":
        w.emit("i32.eqz")
    else:
        w.emit("i32.const", 0)
        w.emit("i32.ne")
    w.push(None)


_STRICT = {"lt": "lt", "le": "lt", "gt": "gt", "ge": "gt"}


@RULES.on(*(f"i64.{name}_{s}" for name in ("lt", "gt", "le", "ge") for s in "su"))
def _order(w: Words, item: Instr) -> None:
    """The high words decide, unless they are equal."""
    name, s = item.name[4:6], item.name[-1]
    al, ah, bl, bh = w.hold(w.take(4))
    if value_of(bl) == 0 and name in ("lt", "ge"):  # whatever the low word is
        _forget(w, al)
        w.use(ah, bh)
        w.emit(f"i32.{name}_{s}")
    else:
        w.use(al, bl)
        w.emit(f"i32.{name}_u")
        w.use(ah, bh)
        w.emit(f"i32.{_STRICT[name]}_{s}")
        w.use(ah, bh)
        w.emit("i32.eq")
        w.emit("select")
    w.push(None)


# Memory


@RULES.on("i64.load", "f64.load")
def _load64(w: Words, item: Instr) -> None:
    align, offset = item.args[0]
    (address,) = w.take(1)
    again = w.kept(address)
    if offset + 4 > WORD:  # the last byte is beyond any memory
        w.emit("i32.load", (0, WORD))
        w.use(ZERO)
    else:
        w.emit("i32.load", (min(align, 2), offset))
        w.use(again)
        w.emit("i32.load", (min(align, 2), offset + 4))
    w.push(None, None)


@RULES.on("i64.store", "f64.store")
def _store64(w: Words, item: Instr) -> None:
    """The high word first: where it fits, the low one does."""
    align, offset = item.args[0]
    address, low, high = w.hold(w.take(3))
    again = w.kept(address)
    w.use(high)
    if offset + 4 > WORD:
        w.emit("i32.store", (0, WORD))
        return
    w.emit("i32.store", (min(align, 2), offset + 4))
    w.use(again, low)
    w.emit("i32.store", (min(align, 2), offset))


@RULES.on("f32.load", "f32.store")
def _float_access(w: Words, item: Instr) -> None:
    count = 1 if item.op.pushes else 2
    w.use(*w.take(count))
    w.emit(item.name.replace("f32", "i32"), item.args[0])
    w.push(*(None,) * item.op.pushes)


@RULES.on(*(f"i64.load{bits}_{s}" for bits in (8, 16, 32) for s in "su"))
def _load_narrow(w: Words, item: Instr) -> None:
    w.use(*w.take(1))
    name = item.name.replace("i64", "i32")
    w.emit("i32.load" if name.startswith("i32.load32") else name, item.args[0])
    if name.endswith("_u"):
        w.push(None, ZERO)
    else:
        _sign_above(w, None)


@RULES.on("i64.store8", "i64.store16", "i64.store32")
def _store_narrow(w: Words, item: Instr) -> None:
    w.drop()
    w.use(*w.take(2))
    name = item.name.replace("i64", "i32")
    w.emit("i32.store" if name == "i32.store32" else name, item.args[0])


# Signs of floats


@RULES.on("f32.abs", "f64.abs")
def _abs(w: Words, item: Instr) -> None:
    _on_top(w, "i32.and", ~SIGN & WORD)


@RULES.on("f32.neg", "f64.neg")
def _neg(w: Words, item: Instr) -> None:
    _on_top(w, "i32.xor", SIGN)


def _on_top(w: Words, name: str, mask: int) -> None:
    """An operation on the word that has the sign."""
    w.flush()
    w.emit("i32.const", mask)
    w.emit(name)


@RULES.on("f32.copysign")
def _copysign32(w: Words, item: Instr) -> None:
    a, b = w.hold(w.take(2))
    _with_sign(w, a, b)
    w.push(None)


@RULES.on("f64.copysign")
def _copysign64(w: Words, item: Instr) -> None:
    low, high, _, sign = w.hold(w.take(4))
    w.use(low)
    _with_sign(w, high, sign)
    w.push(None, None)


def _with_sign(w: Words, word: Word, sign: Word) -> None:
    w.use(word, constant(~SIGN))
    w.emit("i32.and")
    w.use(sign, constant(SIGN))
    w.emit("i32.and")
    w.emit("i32.or")


def choose64(w: Words) -> None:
    """`select` of two words each."""
    al, ah, bl, bh, condition = w.hold(w.take(5))
    w.use(al, bl, condition)
    w.emit("select")
    w.use(ah, bh, condition)
    w.emit("select")
    w.push(None, None)
