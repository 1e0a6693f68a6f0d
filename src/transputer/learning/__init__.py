"""Learning programs of the soft machine: by gradient, by search, and proving what was learned."""
