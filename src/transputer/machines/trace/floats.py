"""IEEE 754 on the trace machine: the float frame, the steps that every operation shares, and sums
and products.

**The frame.** A step of a float instruction leaves a number in its WORK token:

* `value` is X, 64 bits, any of them set;
* `at` is (E mod 256, E div 256, flags, shift), E from 0 to 4095;
* flags: `STICKY` says that the number is more than X, by less than one unit; `SIGN` that it is
  negative; bits from `PRIVATE` on belong to the instruction.

The number is X / 2^63 * 2^(E + 1 - bias), bias that of the result's format (127, 1023), which the
name of the opcode gives. So E is how far X may move left: where X has z leading zeros, it moves by
min(z, E), and E minus that, added to the significand above its fraction, is the packed exponent.
A significand with its top bit at bit 60 and biased exponent e (1 for a subnormal) has E = e + 2; with
its top bit at bit p, E = e + 62 - p. An integer n has X = n and E = bias + 62.
An infinity is X = 2^63, E = 2 bias (the overflow of PACK); the canonical NaN is X = 3 * 2^62 there.

**The tail.** An instruction continues in one of these phases with `m.goes_on(when, PHASE)`:

* `NORM` moves X left by whole bytes and says in `shift` how many bits are left to move (0 to 7);
  numbers of biased exponent 2 bias + 1 and more become infinite; then PACK. X may be 0; E > 0.
* `PACK` moves X left by `shift` (0 to 7), rounds to nearest even, packs and ends the instruction.
  What comes to PACK without NORM has E = 0 (subnormal, or about to become normal), or its top bit at
  63 after the shift.
* `ALIGN` moves X right by `shift` (0 to 63) with sticky; then PACK. For results below the normal range:
  E = 0.
* `CUT` does the same and continues in phase `WHOLE`, which belongs to the instruction.
* `SCALE` is NORM without overflow, then `KEEP`: `value` is the significand as in the format, an
  integer below 2^24 or 2^53, and E what is left of it. Continues in `SCALED`, which belongs to the
  instruction. For subnormal operands: X = significand << 8 (f64) or << 32 (f32). X is not 0.

All of them keep SIGN, STICKY, the private flags and `work`; `shift` is 0 after ALIGN, CUT and KEEP.
Phases from 1 to 99 belong to the instruction.
"""

from transputer.machines.trace.opcodes import SEVERAL

# Phases of the tail.
NORM, PACK, ALIGN, CUT, WHOLE, SCALE, KEEP, SCALED = range(100, 108)
# Flags, byte 2 of `at`.
STICKY, SIGN, PRIVATE = 1, 2, 4
#: Instructions that round to a format, by format, and all that use the tail.
SINGLES = tuple(name for name in SEVERAL if name.startswith("f32."))
DOUBLES = tuple(name for name in SEVERAL if name.startswith("f64."))
FLOATS = tuple(name for name in SEVERAL if "f32" in name or "f64" in name)
#: Instructions of two operands.
BINARY = tuple(f"f{n}.{op}" for n in (32, 64) for op in ("add", "sub", "mul", "div"))
#: E of an operand as `SCALE` takes it, beyond its biased exponent, and of an integer.
E_SINGLE, E_DOUBLE = 62 - 55, 62 - 60
E_INTEGER_SINGLE, E_INTEGER_DOUBLE = 127 + 62, 1023 + 62
