"""The methods that ``fit`` and ``cluster`` offer: what estimators declare."""

import ast
import inspect
import warnings
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.metadata import entry_points
from pathlib import Path

import click

from widemargin.plugins import GROUP

DEFAULTS = {"classify": "auto", "cluster": "margin"}  # the front doors


@dataclass(frozen=True)
class Offer:
    """A declared method and the estimator that declares it."""

    method: object
    estimator: type

    def make(self, seed, settings, **parameters):
        """The estimator, not fitted; settings win over `parameters`."""
        known = inspect.signature(self.estimator).parameters
        parameters = {**dict(self.method.parameters), **parameters}
        if "random_state" in known:
            parameters = {"random_state": seed, **parameters}
        model = self.estimator(**parameters)
        for name in sorted(settings, key=lambda name: "__" in name):  # values first
            if name.partition("__")[0] not in known:
                self._refuse_name(name)
            try:
                model.set_params(**{name: settings[name]})
            except ValueError as problem:
                raise ValueError(f"--set {name}: {problem}") from problem
        return model

    def _refuse_name(self, name):
        known = list_parameters(self.estimator)
        near = [full for full in known if full.endswith(f"__{name}")]
        near = near or get_close_matches(name, known, 1)
        advice = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(known)}."
        owners = {}
        for key, offer in list_offers(self.method.task).items():
            for full in list_parameters(offer.estimator):
                if full == name or full.endswith(f"__{name}"):
                    owners.setdefault(full, []).append(key)
        for full, keys in owners.items() if not near else ():
            advice += f" Methods that have {full}: {', '.join(keys)}."
        who = self.estimator.__name__
        raise ValueError(f"--set {name}: {who} has no such parameter; {advice}")


def list_parameters(estimator):
    """Names of all parameters of a class, sorted, each with those of its value."""
    from widemargin.values import Value

    names = []
    for name, parameter in sorted(inspect.signature(estimator).parameters.items()):
        value = parameter.default
        family = getattr(estimator, "value_families", {}).get(name, Value)
        if value in family.shorthands():
            value = family.read(value, name)
        fields = value.get_params() if isinstance(value, Value) else ()
        names += [name, *(f"{name}__{field}" for field in fields)]
    return names


def list_offers(task):
    """All methods for a task by name: the default, the library's own, plug-ins."""
    import widemargin.estimators  # noqa: F401, registers the library's own
    from widemargin.estimators._estimator import Estimator
    from widemargin.plugins import load_plugins, subclasses

    load_plugins()
    offers = {}
    for cls in sorted(subclasses(Estimator), key=_is_plugin):  # the library's names win
        for method in cls.__dict__.get("methods", ()):
            if method.task == task:
                offers.setdefault(method.name, Offer(method, cls))
    plugins = {name for name in offers if _is_plugin(offers[name].estimator)}
    return {name: offers[name] for name in _in_order(offers, task, plugins)}


def _is_plugin(cls):
    return not cls.__module__.startswith("widemargin.")


def find_offer(name, task):
    """The method of that name, or of the default for None."""
    offers = list_offers(task)
    name = name or DEFAULTS[task]
    if name not in offers:
        near = get_close_matches(name, offers, 1)
        advice = f" Did you mean {near[0]!r}?" if near else ""
        raise click.UsageError(
            f"--method {name!r} is not one of {', '.join(offers)}.{advice}"
        )
    return offers[name]


def describe_methods(task):
    """Lines of a help page, from the source where possible: an import takes long."""
    summaries = {} if entry_points(group=GROUP) else _read_summaries(task)
    if not summaries:
        offers = list_offers(task)
        summaries = {name: offer.method.summary for name, offer in offers.items()}
    width = max(map(len, summaries)) + 2
    lines = (f"  {name:{width}}{summary}" for name, summary in summaries.items())
    return "\n".join(lines)


def _in_order(names, task, plugins=()):
    return sorted(names, key=lambda n: (n != DEFAULTS[task], n in plugins, n))


def _read_summaries(task):
    """Summaries by name, from calls of `Method` in the source of the estimators."""
    found = {}
    for path in sorted((Path(__file__).parents[1] / "estimators").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "Method(" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Method":
                given = dict(zip(("name", "summary"), node.args, strict=False))
                given |= {word.arg: word.value for word in node.keywords}
                own = given.get("task")
                if (ast.literal_eval(own) if own else "classify") == task:
                    name, summary = given["name"], given["summary"]
                    found[ast.literal_eval(name)] = ast.literal_eval(summary)
    return {name: found[name] for name in _in_order(found, task)}


def check_settings(model, settings):
    """Raise ValueError for a setting that the estimator refuses on a few rows."""
    if not settings:
        return
    from sklearn.base import clone

    trial = clone(model)
    if hasattr(trial, "verbose"):
        trial.set_params(verbose=0)
    X = [[float(i % 4), float(i)] for i in range(12)]
    y = [0, 1, 0, 1] + [-1] * 8
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trial.fit(X, y)
    except Exception as error:
        who = type(model).__name__
        if any(str(error).startswith(f"{name} of {who}") for name in settings):
            raise


def parse_settings(pairs):
    """Parameters from NAME=VALUE: numbers, truth values and None, otherwise text."""
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
