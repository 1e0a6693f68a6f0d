"""The weights of the planners of `transputer ask`; data alone."""
