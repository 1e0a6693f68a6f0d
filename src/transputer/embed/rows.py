"""Shared by layers that run programs: argument shapes and rows that fail."""

from collections.abc import Mapping

from transputer.engines.torch.decoder import Tensor, torch
from transputer.errors import TransputerError, UsageError


class RowsFailed(TransputerError):
    """Raised when rows of a batch trap or exit instead of returning; `rows` maps each to why."""

    exit_code = 134

    def __init__(self, name: str, rows: Mapping[int, str]) -> None:
        shown = [f"row {row}: {why}" for row, why in list(rows.items())[:8]]
        more = [f"{len(rows) - 8} more rows"] if len(rows) > 8 else []
        super().__init__(f"{name}: {'; '.join(shown + more)}")
        self.rows = dict(rows)


def check_shape(name: str, what: str, values: Tensor, columns: int) -> None:
    """Raise `UsageError` unless `values` is an integer tensor of shape (rows, `columns`)."""
    if not isinstance(values, Tensor) or values.dtype not in (torch.int64, torch.int32):
        kind = values.dtype if isinstance(values, Tensor) else type(values).__name__
        raise UsageError(f"{name}: {what} must be an int64 tensor, not {kind}")
    check_columns(name, what, values, columns)


def check_columns(name: str, what: str, values: Tensor, columns: int) -> None:
    """Raise `UsageError` unless `values` has the shape (rows, `columns`)."""
    if values.dim() != 2 or values.size(1) != columns:
        raise UsageError(
            f"{name}: {what} must have shape (rows, {columns}), not {tuple(values.shape)}"
        )
