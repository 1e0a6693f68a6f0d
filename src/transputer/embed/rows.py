"""What layers made of programs share: the shape of their arguments, and rows that fail."""

from collections.abc import Mapping

from transputer.engines.torch.decoder import Tensor, torch
from transputer.errors import TransputerError, UsageError


class RowsFailed(TransputerError):
    """Rows of a batch that trapped or exited, where results were asked for; `rows` says why."""

    exit_code = 134

    def __init__(self, name: str, rows: Mapping[int, str]) -> None:
        shown = [f"row {row}: {why}" for row, why in list(rows.items())[:8]]
        more = [f"{len(rows) - 8} rows more"] if len(rows) > 8 else []
        super().__init__(f"{name}: {'; '.join(shown + more)}")
        self.rows = dict(rows)


def check_shape(name: str, what: str, values: Tensor, columns: int) -> None:
    """Raise `UsageError` unless these are integers, one row for each case."""
    if not isinstance(values, Tensor) or values.dtype not in (torch.int64, torch.int32):
        kind = values.dtype if isinstance(values, Tensor) else type(values).__name__
        raise UsageError(f"{name}: {what} are an int64 tensor, not {kind}")
    if values.dim() != 2 or values.size(1) != columns:
        raise UsageError(f"{name}: {what} are (rows, {columns}), not {tuple(values.shape)}")
