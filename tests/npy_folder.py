"""Rows in a folder of .npy files: a backend as another package would define it.

Nothing in widemargin mentions it, and no file other than this one is needed.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from widemargin.rows import BlockRows


class NpyFile:
    """The rows of one file, which is opened for each reading and then closed."""

    def __init__(self, path):
        self.path = path
        header = np.load(path, mmap_mode="r")
        self.shape, self.dtype = header.shape, header.dtype

    def __getitem__(self, idx):
        return np.array(np.load(self.path, mmap_mode="r")[idx])


class NpyFolder(BlockRows):
    """All .npy files of a folder, by name; two files are worked on at a time."""

    def __init__(self, folder):
        super().__init__([NpyFile(path) for path in sorted(folder.glob("*.npy"))])

    @classmethod
    def reads(cls, given):
        return isinstance(given, Path) and given.is_dir()

    def map(self, function):
        def work(piece):
            return piece.where, function(piece.read())

        with ThreadPoolExecutor(2) as workers:
            yield from workers.map(work, self.pieces())
