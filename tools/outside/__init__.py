"""How programs that nobody here wrote fare: runners of suites, and the page docs/outside.md."""
