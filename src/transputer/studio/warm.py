"""Imported once, in the process that workers are forked from: they find the model built."""

from transputer.runtime.trace.debug import warm

warm()
