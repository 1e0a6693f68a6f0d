"""How the embedded model of the words front end is made: problems, training, export, measuring.

Not part of the package: this needs torch, and what comes out of it is committed.
"""
