"""Random programs of small C, run on the loom machine and by a C compiler."""
