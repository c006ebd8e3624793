"""Fitted models in files that cannot run code."""

from widemargin.model_files.errors import ModelFileError
from widemargin.model_files.files import load, save

__all__ = ["ModelFileError", "load", "save"]
