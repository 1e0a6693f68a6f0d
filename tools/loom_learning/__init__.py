"""A network that learns around a program of the loom machine; not part of the package."""
