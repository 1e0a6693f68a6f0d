"""A language model with the trace machine inside: one module, one sequence, one decode loop."""
