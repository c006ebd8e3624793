"""Fitted models in files that cannot run code."""

from widemargin.model_files.archive import ModelFileError
from widemargin.model_files.files import load, save

__all__ = ["ModelFileError", "load", "save"]
