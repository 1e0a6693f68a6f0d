"""Assembly programs for given parameters: each function returns the text of one program.

A program leaves its result on the operand stack.
"""

from collections.abc import Iterable, Sequence


def _countdown(start: Iterable[int], n: int, body: str, finish: str) -> str:
    """A program that runs `body` n times; it finds the counter on top and leaves it there."""
    pushes = "\n".join(f"    PUSH {value}" for value in (*start, n))
    return f"""{pushes}
next:
    DUP
    JZ done
{body}
    PUSH 1
    SUB
    PUSH 0
    JZ next
done:
    POP
{finish}
    HALT
"""


def sum_to(n: int) -> str:
    """The sum of 1 to n."""
    return _countdown([0], n, "    SWAP\n    OVER\n    ADD\n    SWAP", "")


def power_of_two(n: int) -> str:
    """Two to the n, modulo 2**32, by doubling."""
    return _countdown([1], n, "    SWAP\n    DUP\n    ADD\n    SWAP", "")


def fibonacci(n: int) -> str:
    """The n-th Fibonacci number, modulo 2**32; the 0th is 0 and the first 1."""
    body = "    ROT\n    ROT\n    SWAP\n    OVER\n    ADD\n    ROT"
    return _countdown([0, 1], n, body, "    POP")


def factorial(n: int) -> str:
    """The product of 1 to n, modulo 2**32."""
    return _countdown([1], n, "    SWAP\n    OVER\n    MUL\n    SWAP", "")


def gcd(a: int, b: int) -> str:
    """The greatest common divisor of two unsigned numbers."""
    return f"""    PUSH {a}
    PUSH {b}
again:
    DUP
    JZ done
    SWAP
    OVER
    REM_U
    PUSH 0
    JZ again
done:
    POP
    HALT
"""


def _store(values: Sequence[int], width: int, instruction: str) -> str:
    lines = (f"    PUSH {width * i}  PUSH {v}  {instruction}" for i, v in enumerate(values))
    return "\n".join(lines)


def fnv1a(data: bytes) -> str:
    """The 32-bit FNV-1a hash of bytes, which the program first puts into memory at 0."""
    return f"""{_store(data, 1, "I32.STORE8")}
    PUSH 2166136261  LOCAL.SET 1
    block $done
        loop $byte
            LOCAL.GET 0  PUSH {len(data)}  GE_U  br_if $done
            LOCAL.GET 1  LOCAL.GET 0  I32.LOAD8_U  XOR
            PUSH 16777619  MUL  LOCAL.SET 1
            LOCAL.GET 0  PUSH 1  ADD  LOCAL.SET 0
            br $byte
        end
    end
    LOCAL.GET 1
    HALT
"""


def bubble_sort(values: Sequence[int]) -> str:
    """The values in signed order, sorted in memory, then pushed from the smallest up."""
    loads = "\n".join(f"    PUSH {4 * i}  I32.LOAD" for i in range(len(values)))
    return f"""{_store(values, 4, "I32.STORE")}
    PUSH {4 * max(0, len(values) - 1)}  LOCAL.SET 0
    block $done
        loop $pass
            LOCAL.GET 0  EQZ  br_if $done
            PUSH 0  LOCAL.SET 1
            loop $pair
                LOCAL.GET 1  I32.LOAD  LOCAL.TEE 2
                LOCAL.GET 1  PUSH 4  ADD  I32.LOAD  LOCAL.TEE 3
                GT_S
                if
                    LOCAL.GET 1  LOCAL.GET 3  I32.STORE
                    LOCAL.GET 1  PUSH 4  ADD  LOCAL.GET 2  I32.STORE
                end
                LOCAL.GET 1  PUSH 4  ADD  LOCAL.TEE 1
                LOCAL.GET 0  LT_U  br_if $pair
            end
            LOCAL.GET 0  PUSH 4  SUB  LOCAL.SET 0
            br $pass
        end
    end
{loads}
    HALT
"""


def popcount(value: int) -> str:
    """The number of one bits, counted by clearing the lowest one until none is left."""
    return f"""    PUSH {value}  LOCAL.SET 0
    block $done
        loop $clear
            LOCAL.GET 0  EQZ  br_if $done
            LOCAL.GET 0  LOCAL.GET 0  PUSH 1  SUB  AND  LOCAL.SET 0
            LOCAL.GET 1  PUSH 1  ADD  LOCAL.SET 1
            br $clear
        end
    end
    LOCAL.GET 1
    HALT
"""
