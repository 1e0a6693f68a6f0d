"""The words that the rules know, as tables: a phrase, and the operation it stands for.

Articles and politeness are dropped before anything is read, so no phrase has them.
"""

#: Dropped wherever they stand.
NOISE = frozenset("the please kindly exactly all".split())

#: Before the calculation; any number of them, in any order.
LEADS = (
    *("what is", "what are", "what s", "what will be", "what would be", "whats", "what does"),
    *("how much is", "how much are", "how much do", "what do", "calculate", "compute"),
    *("evaluate", "find", "determine", "work out", "figure out", "give me", "tell me", "show me"),
    *("can you", "could you", "would you", "will you", "i want to know", "i need", "let us"),
    *("help me", "result of", "value of", "answer to", "true or false", "what do you get when you"),
    *("what do you get if you", "what do i get when i", "what do i get if i", "what results when"),
    *("what happens when you", "what is result when", "what is result if", "if you", "when you"),
    *("you get when you", "you get if you", "what number is", "solve", "now", "ok", "express"),
    *("what do you get when", "what do you get if", "what do we get when we", "we"),
    *("what do we get if we", "what you get when you", "just", "simply", "quickly", "so"),
    *("quantity", "determine", "use euclid s algorithm to", "using euclid s algorithm ,"),
)
#: Before a name that gets a value.
GIVEN = ("let", "set", "if", "given", "given that", "suppose", "assume", "when", "where", "with")
#: Behind the calculation: the question is what went before.
ENDS = (
    *("for me", "equals what", "is what", "gives what", "makes what", "gives", "makes", "make"),
    *("come to", "comes to", "what is it", "what is result", "what is answer", "what is total"),
    *("what do you get", "what do i get", "what do we get", "what remains", "what is left"),
    *("what is final result", "what is final answer", "what is final value", "what is that"),
    *("what is it now", "what is value", "what does that give", "what is it equal to", "together"),
    *("by euclid s algorithm", "with euclid s algorithm", "using euclid s algorithm"),
    *("in total", "altogether", "true or false", "yes or no", "equal to what"),
)
#: Ends that say that what went before is added up.
JOINING = ("make", "makes", "together", "in total", "altogether")

#: Before what a condition chooses.
VERBS = (
    *("return", "print", "output", "give", "say", "use", "answer is", "answer", "result is"),
    *("it is", "give me", "take", "choose", "pick"),
)

#: Binary operators: symbol or words, operation, precedence; right-associative ones by name.
OPERATORS = {
    "+": ("ADD", 1),
    "plus": ("ADD", 1),
    "added to": ("ADD", 1),
    "increased by": ("ADD", 1),
    "raised by": ("ADD", 1),
    "-": ("SUB", 1),
    "−": ("SUB", 1),
    "–": ("SUB", 1),
    "minus": ("SUB", 1),
    "take away": ("SUB", 1),
    "subtracted from": ("RSUB", 1),
    "is subtracted from": ("RSUB", 1),
    "taken from": ("RSUB", 1),
    "is taken from": ("RSUB", 1),
    "taken away from": ("RSUB", 1),
    "is taken away from": ("RSUB", 1),
    "deducted from": ("RSUB", 1),
    "less": ("SUB", 1),
    "lessened by": ("SUB", 1),
    "diminished by": ("SUB", 1),
    "decreased by": ("SUB", 1),
    "reduced by": ("SUB", 1),
    "*": ("MUL", 2),
    "×": ("MUL", 2),
    "·": ("MUL", 2),
    "x": ("MUL", 2),
    "times": ("MUL", 2),
    "multiplied by": ("MUL", 2),
    "multiplied with": ("MUL", 2),
    "lots of": ("MUL", 2),
    "groups of": ("MUL", 2),
    "sets of": ("MUL", 2),
    "is multiplied by": ("MUL", 2),
    "is divided by": ("DIV", 2),
    "is added to": ("ADD", 1),
    "is increased by": ("ADD", 1),
    "is decreased by": ("SUB", 1),
    "is reduced by": ("SUB", 1),
    "is raised to power of": ("POW", 4),
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
    "cube root": "CBRT",
    "third root": "CBRT",
    "next prime after": "NEXT_PRIME",
    "next prime number after": "NEXT_PRIME",
    "first prime after": "NEXT_PRIME",
    "first prime above": "NEXT_PRIME",
    "smallest prime above": "NEXT_PRIME",
    "smallest prime greater than": "NEXT_PRIME",
    "smallest prime larger than": "NEXT_PRIME",
    "smallest prime bigger than": "NEXT_PRIME",
    "smallest prime number greater than": "NEXT_PRIME",
    "smallest prime number bigger than": "NEXT_PRIME",
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
    "opposite": "NEG",
    "reciprocal": "RECIPROCAL",
}

#: Behind an ordinal: `10th prime`.
SERIES = (
    (("fibonacci number", "fibonacci term", "fibonacci"), "FIB"),
    (("prime number", "prime"), "PRIME_NUMBER"),
    (("triangular number", "triangle number"), "TRIANGULAR"),
)
#: Before the number that a sequence is of.
SEQUENCES = {
    "digits of": "DIGITS",
    "digits in": "DIGITS",
    "decimal digits of": "DIGITS",
    "divisors of": "DIVISORS",
    "factors of": "DIVISORS",
    "all factors of": "DIVISORS",
    "all divisors of": "DIVISORS",
    "positive divisors of": "DIVISORS",
    "prime factors of": "PRIME_FACTORS",
    **{
        f"collatz sequence{word}": "COLLATZ"
        for word in ("", " of", " for", " from", " starting at", " starting from", " starting with")
    },
}
#: What a sequence may be called when its members are counted: `how many digits does 12 have`.
COUNTED = {
    "digits": "DIGITS",
    "decimal digits": "DIGITS",
    "divisors": "DIVISORS",
    "factors": "DIVISORS",
    "positive divisors": "DIVISORS",
    "prime factors": "PRIME_FACTORS",
}
#: Before a list or a range, with or without `of`.
AGGREGATES = {
    **dict.fromkeys(("sum", "total", "add up", "sum up", "add together"), "SUM"),
    **dict.fromkeys(("product", "multiply together"), "PROD"),
    **dict.fromkeys(("average", "mean", "arithmetic mean", "average value", "mean value"), "MEAN"),
    **dict.fromkeys(("average out",), "MEAN"),
    **dict.fromkeys(("median", "median value", "middle value"), "MEDIAN"),
    **dict.fromkeys(("mode", "most common number", "most frequent number"), "MODE"),
    **dict.fromkeys(("most common value", "most frequent value"), "MODE"),
    **dict.fromkeys(("variance", "population variance"), "VARIANCE"),
    **dict.fromkeys(("maximum value", "largest value", "highest value", "greatest value"), "MAX"),
    **dict.fromkeys(("largest number", "biggest number", "greatest number"), "MAX"),
    **dict.fromkeys(("highest number", "maximum number", "larger number", "bigger number"), "MAX"),
    **dict.fromkeys(("minimum value", "smallest value", "lowest value"), "MIN"),
    **dict.fromkeys(("smallest number", "lowest number", "least number", "minimum number"), "MIN"),
    **dict.fromkeys(("smaller number", "lower number"), "MIN"),
    **dict.fromkeys(("maximum", "max", "largest", "biggest", "greatest", "highest"), "MAX"),
    **dict.fromkeys(("larger", "bigger", "greater", "higher"), "MAX"),
    **dict.fromkeys(("minimum", "min", "smallest", "least", "lowest", "smaller", "lower"), "MIN"),
    **dict.fromkeys(("count", "number of", "length", "how many numbers are in"), "COUNT"),
    **dict.fromkeys(("how many numbers are there in", "how many values are in"), "COUNT"),
    **dict.fromkeys(("how many", "how many numbers"), "COUNT"),
    **dict.fromkeys(("how many integers", "how many whole numbers", "count how many"), "COUNT"),
    **dict.fromkeys(("first", "first number", "first value", "first item"), "FIRST"),
    **dict.fromkeys(("last", "last number", "last value", "last item"), "LAST"),
}
#: Before a range, as a command.
RANGE_COMMANDS = {
    "add": "SUM",
    "adding": "SUM",
    "multiply": "PROD",
    "multiplying": "PROD",
    "average": "MEAN",
    "combine": "SUM",
}
#: Before exactly two operands.
PAIRS = {
    "gcd": "GCD",
    "gcf": "GCD",
    "hcf": "GCD",
    "greatest common divisor": "GCD",
    "largest common divisor": "GCD",
    "biggest common divisor": "GCD",
    "highest common divisor": "GCD",
    "largest common factor": "GCD",
    "greatest common factor": "GCD",
    "highest common factor": "GCD",
    "lcm": "LCM",
    "least common multiple": "LCM",
    "lowest common multiple": "LCM",
    "smallest common multiple": "LCM",
    **{
        f"{word} number that divides{both}": "GCD"
        for word in ("largest", "greatest", "biggest", "highest")
        for both in ("", " both")
    },
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
    "integer",
    "consecutive integers",
    "consecutive numbers",
    "natural number",
    "whole number",
    "every number",
    "every integer",
    "every whole number",
    "each number",
)
#: Before a list: what it is called.
LISTS = ("list", "set", "these numbers", "following numbers", "following", "numbers", "values")
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
    **dict.fromkeys(("no greater than", "no larger than", "no bigger than"), "LE"),
    **dict.fromkeys(("strictly less than", "strictly smaller than"), "LT"),
    **dict.fromkeys(("strictly greater than", "strictly larger than", "exceed"), "GT"),
    **dict.fromkeys(("no smaller than", "not smaller than", "not below"), "GE"),
    **dict.fromkeys(("less than or equal to", "smaller than or equal to"), "LE"),
    **dict.fromkeys(("not greater than", "not above"), "LE"),
    **dict.fromkeys((">", "greater than", "larger than", "bigger than", "more than"), "GT"),
    **dict.fromkeys(("higher than", "above", "exceeds"), "GT"),
    **dict.fromkeys((">=", "≥", "at least", "no less than", "not less than"), "GE"),
    **dict.fromkeys(("greater than or equal to", "larger than or equal to"), "GE"),
    **dict.fromkeys(("=", "==", "equal to", "equals", "equal", "same as"), "EQ"),
    **dict.fromkeys(("!=", "≠", "<>", "not equal to", "different from", "not same as"), "NE"),
}

#: `increase 80 by 5`.
CHANGES = {
    **dict.fromkeys(("increase", "raise", "grow", "boost", "lift", "bump up", "bump"), "ADD"),
    **dict.fromkeys(("hike", "push up", "step up", "extend"), "ADD"),
    **dict.fromkeys(("decrease", "reduce", "lower", "cut", "diminish", "drop", "shrink"), "SUB"),
    **dict.fromkeys(("trim", "slash", "bring down", "knock down", "cut back", "lessen"), "SUB"),
}
#: What something is divided into.
PARTS = (
    *("equal parts", "equal groups", "parts", "groups", "equal shares", "people", "equal pieces"),
    *("pieces", "shares", "portions", "equal portions", "ways", "even parts", "sections"),
)
#: Before the number a chain begins with.
STARTS = (
    *("start with", "start from", "start at", "begin with", "begin at", "starting with"),
    *("starting from", "starting at", "beginning with"),
)
#: Between the steps of a chain.
LINKS = (
    *("and then", "then", "next", "after that", "finally", "and finally", "and next", "lastly"),
    *("after it", "and lastly", "afterwards", "and afterwards", "followed by", "after which"),
)

#: What a step may call the value so far.
PRONOUNS = ("it", "that", "this", "result", "answer", "total", "sum", "product", "outcome")

#: Steps of a chain on the value so far, with the words `_` for a pronoun.
_STEPS = {
    "ADD": (
        *("add", "plus", "+", "increase by", "increase _ by", "raise _ by", "adding"),
        *("increased by", "raised by"),
    ),
    "SUB": (
        *("subtract", "minus", "-", "−", "take away", "decrease by", "reduce by", "take off"),
        *("decrease _ by", "reduce _ by", "lower _ by", "remove", "deduct", "subtracting"),
        *("decreased by", "reduced by"),
    ),
    "MUL": (
        *("multiply by", "multiply _ by", "times", "*", "×", "multiply with", "multiply _ with"),
        "multiplied by",
    ),
    "DIV": ("divide by", "divide _ by", "/", "÷", "split _ by", "divided by"),
    "MOD": ("mod", "modulo", "take _ modulo"),
    "POW": ("^", "raise to power of", "raise _ to power of", "raise to power", "raise _ to power"),
}
#: Steps that need no number.
_ALONE = {
    "2": ("square", "square _"),
    "3": ("cube", "cube _"),
    "NEG": ("negate", "negate _", "change its sign"),
    "HALF": ("halve", "halve _", "cut _ in half"),
    "SQRT": ("take square root", "take its square root", "take square root of _"),
    "ABS": ("take absolute value", "take its absolute value", "take absolute value of _"),
    "FACT": ("take factorial", "take its factorial", "take factorial of _"),
}
#: Behind the number of a step.
STEP_ENDS = tuple(f"{word} {p}" for word in ("to", "from") for p in PRONOUNS)


def _with_pronouns(rows: dict[str, tuple[str, ...]]) -> dict[str, str]:
    return {
        phrase.replace("_", pronoun): token
        for token, phrases in rows.items()
        for phrase in phrases
        for pronoun in PRONOUNS
    }


STEPS = _with_pronouns(_STEPS)
ALONE = _with_pronouns(_ALONE)
