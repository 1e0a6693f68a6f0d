"""The words that the rules know, as tables: a phrase, and the operation it stands for.

Articles and politeness are dropped before anything is read, so no phrase has them.
"""

#: Dropped wherever they stand.
NOISE = frozenset("the please kindly exactly all".split())

LEADS = (
    "what is",
    "what are",
    "what s",
    "what will be",
    "what would be",
    "how much is",
    "calculate",
    "compute",
    "evaluate",
    "find",
    "determine",
    "work out",
    "give me",
    "tell me",
    "can you tell me",
    "result of",
    "value of",
    "answer to",
    "true or false",
)

#: Binary operators: symbol or words, operation, precedence; right-associative ones by name.
OPERATORS = {
    "+": ("ADD", 1),
    "plus": ("ADD", 1),
    "added to": ("ADD", 1),
    "increased by": ("ADD", 1),
    "-": ("SUB", 1),
    "−": ("SUB", 1),
    "–": ("SUB", 1),
    "minus": ("SUB", 1),
    "take away": ("SUB", 1),
    "decreased by": ("SUB", 1),
    "reduced by": ("SUB", 1),
    "*": ("MUL", 2),
    "×": ("MUL", 2),
    "·": ("MUL", 2),
    "x": ("MUL", 2),
    "times": ("MUL", 2),
    "multiplied by": ("MUL", 2),
    "/": ("DIV", 2),
    "÷": ("DIV", 2),
    "divided by": ("DIV", 2),
    "over": ("DIV", 2),
    "//": ("IDIV", 2),
    "mod": ("MOD", 2),
    "modulo": ("MOD", 2),
    "^": ("POW", 4),
    "**": ("POW", 4),
    "to power of": ("POW", 4),
    "to power": ("POW", 4),
    "raised to": ("POW", 4),
    "raised to power of": ("POW", 4),
    "raised to power": ("POW", 4),
}
#: A minus sign before an operand binds tighter than a product and looser than a power.
NEGATION = 3
RIGHT = frozenset({"POW"})

#: Behind an operand.
POSTFIX = {"!": "FACT", "factorial": "FACT", "squared": "2", "cubed": "3"}

#: Before one operand, with or without `of`.
FUNCTIONS = {
    "square root": "SQRT",
    "sqrt": "SQRT",
    "factorial": "FACT",
    "fibonacci": "FIB",
    "fibonacci number": "FIB",
    "fib": "FIB",
    "absolute value": "ABS",
    "abs": "ABS",
    "floor": "FLOOR",
    "ceiling": "CEIL",
    "ceil": "CEIL",
    "square": "2",
    "cube": "3",
}

#: Before a list or a range, with or without `of`.
AGGREGATES = {
    **dict.fromkeys(("sum", "total", "add up", "sum up", "add together"), "SUM"),
    **dict.fromkeys(("product",), "PROD"),
    **dict.fromkeys(("average", "mean", "arithmetic mean"), "MEAN"),
    **dict.fromkeys(("median",), "MEDIAN"),
    **dict.fromkeys(("maximum", "max", "largest", "biggest", "greatest", "highest"), "MAX"),
    **dict.fromkeys(("larger", "bigger", "greater", "higher"), "MAX"),
    **dict.fromkeys(("minimum", "min", "smallest", "least", "lowest", "smaller", "lower"), "MIN"),
    **dict.fromkeys(("count", "how many", "number", "how many numbers", "length"), "COUNT"),
    **dict.fromkeys(("first",), "FIRST"),
    **dict.fromkeys(("last",), "LAST"),
}
#: Before a range, as a command.
RANGE_COMMANDS = {"add": "SUM", "multiply": "PROD", "average": "MEAN"}
#: Before exactly two operands.
PAIRS = {
    "gcd": "GCD",
    "gcf": "GCD",
    "hcf": "GCD",
    "greatest common divisor": "GCD",
    "greatest common factor": "GCD",
    "highest common factor": "GCD",
    "lcm": "LCM",
    "least common multiple": "LCM",
    "lowest common multiple": "LCM",
    "difference": "SUB",
    "quotient": "DIV",
    "power": "POW",
}

NOUNS = (
    "numbers",
    "integers",
    "whole numbers",
    "natural numbers",
    "positive integers",
    "values",
    "ones",
    "number",
)
FILTERS = {
    "even": "EVENS",
    "evens": "EVENS",
    "odd": "ODDS",
    "odds": "ODDS",
    "prime": "PRIMES",
    "primes": "PRIMES",
}
POWERS = {"squares": "SQUARES", "cubes": "CUBES"}

#: Between two operands; `is` and `are` may stand before them.
COMPARISONS = {
    **dict.fromkeys(("<", "less than", "smaller than", "lower than", "fewer than", "below"), "LT"),
    **dict.fromkeys(("<=", "≤", "at most", "no more than", "not more than"), "LE"),
    **dict.fromkeys(("less than or equal to", "smaller than or equal to"), "LE"),
    **dict.fromkeys(("not greater than", "not above"), "LE"),
    **dict.fromkeys((">", "greater than", "larger than", "bigger than", "more than"), "GT"),
    **dict.fromkeys(("higher than", "above", "exceeds"), "GT"),
    **dict.fromkeys((">=", "≥", "at least", "no less than", "not less than"), "GE"),
    **dict.fromkeys(("greater than or equal to", "larger than or equal to"), "GE"),
    **dict.fromkeys(("=", "==", "equal to", "equals", "equal", "same as"), "EQ"),
    **dict.fromkeys(("!=", "≠", "<>", "not equal to", "different from", "not same as"), "NE"),
}

#: Steps of a chain on the value so far: operation and whether the value comes second.
STEPS = {
    **dict.fromkeys(("add", "plus", "+", "increase by", "increase it by", "add it to"), "ADD"),
    **dict.fromkeys(("subtract", "minus", "-", "take away", "decrease by", "reduce by"), "SUB"),
    **dict.fromkeys(("decrease it by", "reduce it by"), "SUB"),
    **dict.fromkeys(("multiply by", "multiply it by", "times", "*", "×"), "MUL"),
    **dict.fromkeys(("multiply that by", "multiply result by", "multiply with"), "MUL"),
    **dict.fromkeys(("divide by", "divide it by", "/", "÷", "divide that by"), "DIV"),
    **dict.fromkeys(("divide result by",), "DIV"),
    **dict.fromkeys(("mod", "modulo", "take it modulo"), "MOD"),
    **dict.fromkeys(("^", "raise to power of", "raise it to power of", "raise to power"), "POW"),
}
#: Steps that need no number.
ALONE = {
    **dict.fromkeys(("square", "square it", "square that", "square result"), "2"),
    **dict.fromkeys(("cube", "cube it", "cube that", "cube result"), "3"),
    **dict.fromkeys(("negate", "negate it"), "NEG"),
    **dict.fromkeys(("halve", "halve it", "halve that"), "HALF"),
    **dict.fromkeys(("take square root", "take its square root"), "SQRT"),
    **dict.fromkeys(("take absolute value", "take its absolute value"), "ABS"),
    **dict.fromkeys(("take factorial", "take its factorial"), "FACT"),
}
