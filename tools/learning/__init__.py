"""Experiments on learning, and the page about them; not part of the package."""
