"""What a part of a loaded model must be, and the error if it is not."""

import numpy as np

from widemargin.model_files.errors import ModelFileError


def is_array(value, n_dimensions, kinds):
    """Whether a value is an array of so many dimensions and one of the dtype kinds."""
    is_array = isinstance(value, np.ndarray) and value.ndim == n_dimensions
    return is_array and value.dtype.kind in kinds


def require(condition, model, name, value):
    """Raise `ModelFileError` for a part of a model unless the condition holds."""
    if not condition:
        shape = getattr(value, "shape", None)
        got = (
            f"shape {shape}, dtype {value.dtype}" if shape is not None else repr(value)
        )
        raise ModelFileError(f"holds {type(model).__name__} with a wrong {name}: {got}")
