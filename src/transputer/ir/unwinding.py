"""The state of exceptions that modules in core code share: names, and traps without a code."""

from transputer.errors import Trap

#: Globals: the address of the exception that is thrown, or 0; the end of the records; why the
#: last `unreachable` is another trap, or 0.
PENDING, TOP, FAILURE = "exceptions.pending", "exceptions.top", "exceptions.failure"
#: The memory of the exceptions' records.
RECORDS = "exceptions.records"
#: Traps that core code states in the global `FAILURE`, from 1 on.
FAILURES = (Trap.NULL_EXCEPTION, Trap.NULL_FUNCTION, Trap.NULL_REFERENCE)
