"""Functions of the C library whose sizes are bytes: malloc, memcpy, qsort and their like.

`sizeof` gives bytes, memory has words, and every scalar takes one. The type of the pointers
decides how many words a number of bytes is; where it does not, the call is refused.
"""

from transputer.errors import Trap
from transputer.frontends.smallc.calls import CallTranslator
from transputer.frontends.smallc.scope import Node, TypedValue, line_of
from transputer.frontends.smallc.tac import TacTrap, Value, wrap
from transputer.frontends.smallc.types import (
    BOOL_BITS,
    CHAR_BITS,
    FRESH_POINTER,
    VOID_POINTER,
    IntType,
    PointerType,
    Signature,
    Type,
    VoidType,
    byte_size,
    same_words,
    size,
)

#: Functions with how many arguments they take.
_COUNTS = {
    **{"malloc": 1, "calloc": 2, "realloc": 2, "free": 1, "memcpy": 3, "memmove": 3},
    **{"memset": 3, "memcmp": 3, "memchr": 3, "qsort": 4, "bsearch": 5},
}
_COMPARE = Signature((VOID_POINTER, VOID_POINTER), IntType(0))


class MemoryTranslator(CallTranslator):
    """Emits code for calls that count bytes."""

    words_wanted = False  # whether sizeof counts words: in the argument of malloc

    def _special(self, node: Node, name: str, args: list[Node]) -> TypedValue | None:
        if name not in _COUNTS:
            return super()._special(node, name, args)
        self._count(node, name, args, (_COUNTS[name],))
        method = getattr(self, f"_{name}")
        value: TypedValue = method(node, args)
        return value

    def measured_size(self, kind: Type) -> int:
        """The value of sizeof."""
        return size(kind) if self.words_wanted else byte_size(kind, self.bits)

    # ---- the heap

    def _malloc(self, node: Node, args: list[Node]) -> TypedValue:
        return TypedValue(self.library(node, "__malloc", self._room(args[0])), FRESH_POINTER)

    def _calloc(self, node: Node, args: list[Node]) -> TypedValue:
        count, each = self._room(args[0]), self._room(args[1])
        words = self.binary(node, "mul", count, each)
        return TypedValue(self.library(node, "__calloc", words), FRESH_POINTER)

    def _realloc(self, node: Node, args: list[Node]) -> TypedValue:
        old, words = self._pointer(args[0]), self._room(args[1])
        return TypedValue(self.library(node, "__realloc", old.value, words), FRESH_POINTER)

    def _free(self, node: Node, args: list[Node]) -> TypedValue:
        self.library(node, "__free", self._pointer(args[0]).value)
        return TypedValue(0, VoidType())

    def _room(self, node: Node) -> Value:
        """At least as many words as the bytes of an expression hold.

        A type never has more words than bytes. In sums and products, sizeof may count words.
        """
        self.words_wanted = _is_polynomial(node)
        try:
            return self.number(node).value
        finally:
            self.words_wanted = False

    # ---- blocks of memory

    def _pointer(self, node: Node) -> TypedValue:
        value = self.plain(node)
        if not isinstance(value.kind, PointerType):
            raise self.error(node, f"expected a pointer, not {self.spelled(value.kind)}")
        return value

    def _pointed(self, node: Node, *pointers: TypedValue) -> Type:
        """The type that pointers point to; void * says nothing."""
        kinds = [p.kind.to for p in pointers if isinstance(p.kind, PointerType)]
        kinds = [kind for kind in kinds if not isinstance(kind, VoidType)]
        if not kinds:
            raise self.error(node, "cast void * to the type of the elements: bytes are not words")
        for kind in kinds[1:]:
            if not same_words(kinds[0], kind, self.bits):
                raise self._bytes(node, kind, kinds[0])
        return self.complete(node, kinds[0])

    def _words(self, node: Node, kind: Type) -> Value:
        """Convert a size in bytes to words of a type; trap if there is a remainder."""
        bytes_, words = byte_size(kind, self.bits), size(kind)
        if bytes_ == words:
            return self.number(node).value
        count = self._elements(node, kind)
        if count is None:
            total = self.number(node).value
            if isinstance(total, int) and total % bytes_:
                spelled = self.spelled(kind)
                raise self.error(node, f"{total} bytes are no whole number of {spelled}")
            good, bad = self.new_block("whole"), self.new_block("rest")
            self.branch(node, "eq", self.binary(node, "urem", total, bytes_), 0, good, bad)
            self.enter(bad)
            bad.term = TacTrap(line_of(node), Trap.UNREACHABLE)
            self.enter(good)
            count = self.binary(node, "udiv", total, bytes_)
        return self.binary(node, "mul", count, words)

    def _elements(self, node: Node, kind: Type) -> Value | None:
        """The n of `n * sizeof(type)`, or of a sizeof alone; None for another expression."""
        n: Value = 1
        if type(node).__name__ == "BinaryOp" and node.op == "*":
            for factor, other in ((node.left, node.right), (node.right, node.left)):
                if _is_sizeof(factor):
                    n, node = self.number(other).value, factor
                    break
        if not _is_sizeof(node):
            return None
        measured = self._measured(node.expr)
        times, rest = divmod(byte_size(measured, self.bits), byte_size(kind, self.bits))
        return None if rest else self.binary(node, "mul", n, times)

    def _memcpy(self, node: Node, args: list[Node]) -> TypedValue:
        return self._copied(node, args, "__copy")

    def _memmove(self, node: Node, args: list[Node]) -> TypedValue:
        return self._copied(node, args, "__move")

    def _copied(self, node: Node, args: list[Node], name: str) -> TypedValue:
        to, start = self._pointer(args[0]), self._pointer(args[1])
        words = self._words(args[2], self._pointed(node, to, start))
        self.library(node, name, to.value, start.value, words)
        return to

    def _memset(self, node: Node, args: list[Node]) -> TypedValue:
        to, byte = self._pointer(args[0]), self.number(args[1])
        kind = self._pointed(node, to)
        word = self._repeated(args[1], byte.value, self._scalar(kind))
        self.library(node, "__fill", to.value, word, self._words(args[2], kind))
        return to

    def _scalar(self, kind: Type) -> Type:
        while not isinstance(kind, IntType | PointerType) and hasattr(kind, "of"):
            kind = kind.of
        return kind

    def _repeated(self, node: Node, byte: Value, kind: Type) -> Value:
        """The word whose every byte is this one."""
        if byte == 0:
            return 0
        if not isinstance(kind, IntType):
            raise self.error(node, f"{self.spelled(kind)} can only be set to bytes of 0")
        bits = kind.bits if kind.bits != BOOL_BITS else CHAR_BITS
        ones = sum(1 << i for i in range(0, bits, CHAR_BITS))
        low = self.binary(node, "and", byte, (1 << CHAR_BITS) - 1)
        word = self.binary(node, "mul", low, wrap(self.bits, ones))
        return self.narrowed(node, word, kind) if 0 < kind.bits < self.bits else word

    def _memcmp(self, node: Node, args: list[Node]) -> TypedValue:
        a, b = self._pointer(args[0]), self._pointer(args[1])
        words = self._words(args[2], self._pointed(node, a, b))
        return TypedValue(self.library(node, "__memcmp", a.value, b.value, words), self.int)

    def _memchr(self, node: Node, args: list[Node]) -> TypedValue:
        start, byte = self._pointer(args[0]), self.number(args[1])
        kind = self._pointed(node, start)
        if byte_size(kind, self.bits) != 1 or not isinstance(kind, IntType):
            raise self.error(node, f"memchr looks for bytes; {self.spelled(kind)} has more")
        word = self.narrowed(node, byte.value, kind)
        count = self.number(args[2]).value
        return TypedValue(self.library(node, "__memchr", start.value, word, count), start.kind)

    # ---- sorting

    def _qsort(self, node: Node, args: list[Node]) -> TypedValue:
        base, count = self._pointer(args[0]), self.number(args[1])
        kind = self._sized(args[2], base)
        self.library(node, "__qsort", base.value, count.value, size(kind), self._order(args[3]))
        return TypedValue(0, VoidType())

    def _bsearch(self, node: Node, args: list[Node]) -> TypedValue:
        key, base, count = self._pointer(args[0]), self._pointer(args[1]), self.number(args[2])
        kind = self._sized(args[3], base)
        self.to_void.setdefault(self._pointed(args[0], key), node)
        order = self._order(args[4])
        at = self.library(node, "__bsearch", key.value, base.value, count.value, size(kind), order)
        return TypedValue(at, base.kind)

    def _sized(self, node: Node, base: TypedValue) -> Type:
        """The type of the elements to sort, whose size must be the given one."""
        kind = self._pointed(node, base)
        given = self.number(node).value
        if given != byte_size(kind, self.bits):
            raise self.error(node, f"the size of the elements must be sizeof({self.spelled(kind)})")
        self.to_void.setdefault(kind, node)
        return kind

    def _order(self, node: Node) -> Value:
        wanted = PointerType(Signature(_COMPARE.params, self.int))
        return self.assigned(node, self.plain(node), wanted).value


def _is_sizeof(node: Node) -> bool:
    return type(node).__name__ == "UnaryOp" and node.op == "sizeof"


def _is_polynomial(node: Node) -> bool:
    """Whether sizeof appears only in sums and products."""
    match type(node).__name__, getattr(node, "op", None):
        case "BinaryOp", "+" | "*":
            return _is_polynomial(node.left) and _is_polynomial(node.right)
        case "UnaryOp", "sizeof":
            return True
        case "Cast", _:
            return _is_polynomial(node.expr)
    return not _measures(node)


def _measures(node: Node) -> bool:
    return _is_sizeof(node) or any(_measures(child) for _, child in node.children())
