"""Machines and programs as values. Light to import: implementations are loaded on first use."""

from transputer.registry.machine import (
    Ability,
    Machine,
    Option,
    Source,
    able,
    check,
    lazy,
    machine,
    machines,
    register,
)
from transputer.registry.program import Program
from transputer.registry.settings import RunSettings

__all__ = [
    "Ability",
    "Machine",
    "Option",
    "Program",
    "RunSettings",
    "Source",
    "able",
    "check",
    "lazy",
    "machine",
    "machines",
    "register",
]
