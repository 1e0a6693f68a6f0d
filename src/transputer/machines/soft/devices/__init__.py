"""Devices of the soft machine: each module has a soft meaning, on probabilities, and a hard one.

Soft functions take a temperature where they choose; at 0 they do exactly what the hard ones do.
`board` joins the hard ones to a machine by one memory map.
"""
