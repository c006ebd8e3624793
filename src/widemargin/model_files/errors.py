"""What is raised for a model file that is damaged, foreign or not to be trusted."""


class ModelFileError(ValueError):
    """A model cannot be saved, or a file is not one that may be loaded."""
