"""The audit: the rules of the design as checks that anyone can run and that can fail."""
