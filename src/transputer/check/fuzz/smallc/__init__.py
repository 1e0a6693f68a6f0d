"""Random programs of small C, run on a machine and by a C compiler."""
