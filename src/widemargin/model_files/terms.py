"""The vocabulary of a text vectorizer as two arrays."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Terms:
    """Words in the order of their columns, one after the other.

    A word's column is its place here. So no file can send a word to a column beyond the
    matrix, and a vocabulary takes a tenth of the room of a dict.
    """

    letters: np.ndarray
    ends: np.ndarray

    @classmethod
    def of(cls, vocabulary):
        """The parts of a dict from words to columns 0, 1, 2 and so on."""
        words = sorted(vocabulary, key=vocabulary.get)
        encoded = [word.encode("utf-8", "surrogatepass") for word in words]
        ends = np.cumsum([len(word) for word in encoded], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), ends)

    def vocabulary(self):
        """The dict; ValueError or TypeError if the parts do not make one."""
        letters, ends = self.letters, self.ends
        if not all(isinstance(p, np.ndarray) and p.ndim == 1 for p in (letters, ends)):
            raise ValueError("the parts of a vocabulary must be vectors.")
        if letters.dtype != np.uint8 or ends.dtype.kind != "i" or not len(ends):
            raise ValueError("the parts of a vocabulary must be letters and places.")
        starts = np.concatenate([[0], ends[:-1]])
        if (starts > ends).any() or starts[0] != 0 or ends[-1] != len(letters):
            raise ValueError("the words of a vocabulary must follow each other.")
        data = letters.tobytes()
        pairs = zip(starts.tolist(), ends.tolist(), strict=True)
        words = [data[i:j].decode("utf-8", "surrogatepass") for i, j in pairs]
        vocabulary = {word: column for column, word in enumerate(words)}
        if len(vocabulary) != len(words):
            raise ValueError("a vocabulary must not hold a word twice.")
        return vocabulary
