"""The soft machine: a computer whose every choice is a distribution. Not a transformer.

`code` and `config` are plain Python; the other modules need JAX, which is an extra.
"""
