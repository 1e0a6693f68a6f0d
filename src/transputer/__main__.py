"""`python -m transputer`."""

from transputer.cli import main

main()
