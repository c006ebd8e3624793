"""The methods that ``widemargin fit`` offers, by name."""

import ast
import inspect
import warnings
from dataclasses import dataclass, field
from difflib import get_close_matches

DEFAULT = "auto"


@dataclass(frozen=True)
class Method:
    """An estimator of widemargin with its parameters, and what it is good for."""

    estimator: str
    advice: str
    parameters: dict = field(default_factory=dict)
    needs_unlabeled: bool = True
    n_folds: int = 5  # of an estimate, unless the user says otherwise

    def make(self, seed, settings):
        """The estimator, not fitted.

        Parameters
        ----------
        seed : int
        settings : dict
            Parameters that the user gave; they go first.

        Raises
        ------
        ValueError
            If the estimator has no such parameter.
        """
        known = self.list_parameters()
        for name in settings:
            if name not in known:
                near = get_close_matches(name, known, 1)
                listed = f"it has {', '.join(known)}.{_tell_owners(name)}"
                advice = f"did you mean {near[0]!r}?" if near else listed
                raise ValueError(
                    f"--set {name}: {self.estimator} has no such parameter; {advice}"
                )
        cls = self._find_class()
        return cls(**{"random_state": seed, **self.parameters, **settings})

    def list_parameters(self):
        """Names of all parameters of the estimator, sorted."""
        return sorted(inspect.signature(self._find_class()).parameters)

    def _find_class(self):
        import widemargin

        return getattr(widemargin, self.estimator)


METHODS = {
    "auto": Method(
        "FewLabelClassifier",
        "weighs several of the others by the labels; start here",
        needs_unlabeled=False,
        n_folds=0,  # it holds out labels anyway
    ),
    "laplacian": Method("LaplacianSVC", "smooth along the neighborhoods of all rows"),
    "laplacian-rls": Method("LaplacianRLSC", "the same with the squared loss"),
    "label-search": Method(
        "LabelSearchClassifier", "searches the missing labels; classes with gaps"
    ),
    "transductive": Method(
        "TransductiveSVC", "boundary away from unlabeled rows; many features"
    ),
    "tri-class": Method(
        "TriClassSVC", "for unlabeled rows of which some belong to no class"
    ),
    "self-labeling": Method(
        "SelfLabelingGPC", "Gaussian process that knows how sure it is"
    ),
    "self-labeling-svm": Method("SelfLabelingSVC", "the same by support vectors"),
    "supervised": Method(
        "RidgeAverageClassifier",
        "labeled rows alone, by an average of many machines",
        needs_unlabeled=False,
    ),
    "svm": Method(
        "TransductiveSVC",
        "labeled rows alone, by support vectors",
        {"unlabeled_weight": 0.0},
        needs_unlabeled=False,
    ),
}


def _tell_owners(name):
    """A sentence on the methods that have a parameter, if there are any."""
    owners = [
        key for key, method in METHODS.items() if name in method.list_parameters()
    ]
    return f" Methods that have {name}: {', '.join(owners)}." if owners else ""


def check_settings(machine, settings):
    """Raise ValueError for a value that the estimator refuses, by a trial on few rows.

    Parameters
    ----------
    machine : estimator
    settings : dict
        Parameters that the user gave; what else fails is a matter of the rows.
    """
    if not settings:
        return
    from sklearn.base import clone

    trial = clone(machine)
    if hasattr(trial, "verbose"):
        trial.set_params(verbose=0)
    X = [[float(i % 4), float(i)] for i in range(12)]
    y = [0, 1, 0, 1] + [-1] * 8
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trial.fit(X, y)
    except Exception as error:
        who = type(machine).__name__
        if any(str(error).startswith(f"{name} of {who}") for name in settings):
            raise


def describe_methods():
    """Lines for a help page."""
    width = max(map(len, METHODS)) + 2
    return "\n".join(
        f"  {name:{width}}{method.advice}" for name, method in METHODS.items()
    )


def parse_settings(pairs):
    """Parameters from NAME=VALUE: numbers, truth values and None, otherwise text.

    Examples
    --------
    >>> parse_settings(["gamma=0.5", "kernel=linear", "n_landmarks=None"])
    {'gamma': 0.5, 'kernel': 'linear', 'n_landmarks': None}
    """
    settings = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign or not name.isidentifier():
            raise ValueError(f"--set must be NAME=VALUE, got {pair!r}.")
        try:
            settings[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            settings[name] = value
    return settings
