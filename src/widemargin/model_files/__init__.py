"""Fitted models in files that cannot run code."""

from widemargin.model_files.archive import ModelFileError
from widemargin.model_files.files import condense, file_size, load, save

__all__ = ["ModelFileError", "condense", "file_size", "load", "save"]
