"""The soft machine: a computer whose every choice is a distribution. Not a transformer.

`config`, `hardstate` and `native` need NumPy alone; the other modules need JAX, which is an extra.
"""
