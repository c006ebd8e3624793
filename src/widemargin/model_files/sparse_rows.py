"""Sparse rows as plain arrays."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse


@dataclass(frozen=True)
class SparseRows:
    """A CSR matrix or array in parts.

    Wrong positions in it would make compiled code write beyond an array, so that they
    are looked at before a matrix is made.
    """

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    shape: tuple
    is_array: bool

    @classmethod
    def of(cls, matrix):
        """The parts of a CSR matrix or array."""
        is_array = isinstance(matrix, sparse.sparray)
        shape = tuple(int(size) for size in matrix.shape)
        return cls(matrix.data, matrix.indices, matrix.indptr, shape, is_array)

    def matrix(self):
        """The matrix; ValueError or TypeError if the parts do not make one."""
        n_rows, n_columns = (int(size) for size in self.shape)
        data, indices, indptr = self.data, self.indices, self.indptr
        parts = (data, indices, indptr)
        if not all(isinstance(part, np.ndarray) and part.ndim == 1 for part in parts):
            raise ValueError("the parts of sparse rows must be vectors.")
        if data.dtype.kind != "f" or indices.dtype.kind + indptr.dtype.kind != "ii":
            raise ValueError("sparse rows must be floats at integer positions.")
        if len(indptr) != n_rows + 1 or len(data) != len(indices):
            raise ValueError("the parts of sparse rows differ in length.")
        if indptr[0] != 0 or indptr[-1] != len(data) or (np.diff(indptr) < 0).any():
            raise ValueError("the rows of sparse rows must follow each other.")
        if len(data) and not (indices.min() >= 0 and indices.max() < n_columns):
            raise ValueError(f"sparse rows must have columns below {n_columns}.")
        make = sparse.csr_array if self.is_array is True else sparse.csr_matrix
        return make((data, indices, indptr), shape=(n_rows, n_columns))
