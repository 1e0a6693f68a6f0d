"""The operations of the plan language: primitives here, everything else in `library.plan`.

A primitive is an instruction of the compiler or a function of `runtime.wat`. Library functions are
written in the plan language itself. Numbers are exact: integers of any size and fractions.
"""

import ast
from enum import Enum
from importlib.resources import files

from transputer.values import dataclass


class PlanType(Enum):
    """The type of a part of a plan."""

    NUMBER = "number"
    BOOLEAN = "boolean"
    LIST = "list"


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: its token, its signature, and how it is written in a line.

    A line is `begin`, the arguments with `separator` between them, `end`. A variadic
    operation takes one or more arguments of its last type; its tokens close with `END`.
    """

    token: str
    result: PlanType
    arguments: tuple[PlanType, ...]
    begin: str
    separator: str
    end: str
    doc: str
    variadic: bool = False

    @property
    def infix(self) -> bool:
        """Whether it is written between its arguments."""
        return self.begin == "("

    @property
    def name(self) -> str:
        """Its name in a line, for one that is written as a call."""
        return self.begin[:-1]


def infix(token: str, sig: str, symbol: str, doc: str) -> Operation:
    """A row for something written `(a symbol b)`."""
    result, arguments = signature(sig)
    return Operation(token, result, arguments, "(", f" {symbol} ", ")", doc)


def call(token: str, sig: str, name: str, doc: str) -> Operation:
    """A row for something written `name(a, b)`."""
    result, arguments = signature(sig)
    return Operation(token, result, arguments, f"{name}(", ", ", ")", doc)


#: One letter per type, for the signatures of the rows.
LETTERS = {"n": PlanType.NUMBER, "b": PlanType.BOOLEAN, "l": PlanType.LIST}


def signature(sig: str) -> tuple[PlanType, tuple[PlanType, ...]]:
    """`nn:b` takes two numbers and gives a boolean."""
    arguments, _, result = sig.partition(":")
    return LETTERS[result], tuple(LETTERS[letter] for letter in arguments)


PRIMITIVES = (
    infix("ADD", "nn:n", "+", "Sum."),
    infix("SUB", "nn:n", "-", "Difference."),
    infix("MUL", "nn:n", "*", "Product."),
    infix("DIV", "nn:n", "/", "Exact quotient."),
    infix("IDIV", "nn:n", "//", "Quotient rounded down."),
    infix("MOD", "nn:n", "%", "Remainder of IDIV: a - b * (a // b)."),
    infix("POW", "nn:n", "**", "Power; the exponent is an integer."),
    call("NEG", "n:n", "neg", "The number with the other sign."),
    call("GCD", "nn:n", "gcd", "Greatest common divisor of integers, not negative."),
    call("NUMERATOR", "n:n", "numerator", "Numerator of the reduced fraction."),
    call("DENOMINATOR", "n:n", "denominator", "Denominator of the reduced fraction, positive."),
    call("IF", "bnn:n", "if", "The second where the first holds, otherwise the third."),
    infix("LT", "nn:b", "<", "Smaller."),
    infix("LE", "nn:b", "<=", "Smaller or equal."),
    infix("GT", "nn:b", ">", "Larger."),
    infix("GE", "nn:b", ">=", "Larger or equal."),
    infix("EQ", "nn:b", "==", "Equal."),
    infix("NE", "nn:b", "!=", "Not equal."),
    infix("AND", "bb:b", "and", "Both hold."),
    infix("OR", "bb:b", "or", "At least one holds."),
    call("NOT", "b:b", "not", "It does not hold."),
    call("PRIME", "n:b", "prime", "Whether it is a prime number."),
    Operation(
        "LIST",
        PlanType.LIST,
        (PlanType.NUMBER,),
        "[",
        ", ",
        "]",
        "The numbers given, in order.",
        True,
    ),
    call("EMPTY", ":l", "empty", "A list without members."),
    call("LEN", "l:n", "len", "Length of a list."),
    call("AT", "ln:n", "at", "Member of a list by index, from 0."),
    call("RANGE", "nnn:l", "span", "Integers from the first towards the second, both included."),
)

#: The types that a parameter or a result may be declared with.
DECLARED = {
    "number": PlanType.NUMBER,
    "integer": PlanType.NUMBER,
    "boolean": PlanType.BOOLEAN,
    "list": PlanType.LIST,
}
#: Tokens of library functions that are not their names in capitals.
_TOKENS = {"percent": "PCT", "factorial": "FACT", "fibonacci": "FIB", "product": "PROD"}
_TOKENS |= {"average": "MEAN"}
#: The functions of the library as syntax trees; `language.library` reads their bodies.
LIBRARY = tuple(
    node
    for node in ast.parse(files(__package__).joinpath("library.plan").read_text("utf-8")).body
    if isinstance(node, ast.FunctionDef)
)


def declared_row(tree: ast.FunctionDef, token: str | None = None) -> Operation:
    """The row of a function from its declaration; numbers need not be declared."""
    arguments = tuple(declared_type(argument.annotation) for argument in tree.args.args)
    result = declared_type(tree.returns)
    doc = ast.get_docstring(tree) or ""
    name = token or _TOKENS.get(tree.name, tree.name.upper())
    return Operation(name, result, arguments, f"{tree.name}(", ", ", ")", doc)


def declared_type(annotation: ast.expr | None) -> PlanType:
    """The type of an annotation; KeyError where it is none of ours."""
    if annotation is None:
        return PlanType.NUMBER
    return DECLARED[ast.unparse(annotation)]


OPERATIONS = (*PRIMITIVES, *map(declared_row, LIBRARY))
BY_TOKEN = {row.token: row for row in OPERATIONS}

#: The only numbers a plan may use that are not in the text.
CONSTANTS = (
    *(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 25, 28, 30, 31, 36, 48, 50, 52),
    *(60, 90, 100, 144, 180, 360, 365, 366, 500, 1000, 1440, 2000, 3600, 5280, 1000000),
)

#: The operations that the shipped models were trained to write, in the order of their vocabulary.
TRAINED = (
    "ADD SUB MUL DIV IDIV MOD POW PCT GCD LCM NEG ABS FLOOR CEIL ROUND SQRT FACT FIB SUM PROD "
    "COUNT MIN MAX MEAN MEDIAN FIRST LAST IF NUMBER LT LE GT GE EQ NE AND OR NOT PRIME LIST RANGE "
    "EVENS ODDS PRIMES MULTIPLES ABOVE BELOW SQUARES CUBES"
).split()
