"""Builds the model in the process that workers are forked from; importing this does it."""

from transputer.runtime.trace.debug import warm

warm()
