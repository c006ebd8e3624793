"""What separates clusters: each compared with all rows, column by column."""

import shlex

import numpy as np
import pandas as pd
from scipy import sparse

from widemargin.cli.reports import join, plural
from widemargin.tables.cells import Reading
from widemargin.tables.encodings import (
    CategoryFeature,
    DateFeature,
    NumberFeature,
    TextFeature,
)
from widemargin.tables.errors import shorten_text

_MOST_COLUMNS, _MOST_CLUSTERS = 3, 12  # that a report shows
_LEAST_EFFECT = 0.5  # standard deviations; the largest effect is always shown
_VALUE_WIDTH, _LARGE = 30, 1000  # letters of a value; printed without fraction
_MOST_VALUES = 10  # of a column of numbers that is compared like categories
_ALIKE, _NEARLY = 0.98, 0.9  # shares of rows in which clusters are the same as values


def profile_clusters(encoder, frame, labels):
    """What each cluster has that other rows have not, a list of dicts.

    Effects are in standard deviations of all rows. Of categories the most common one in
    the cluster counts, of text the word whose share differs most.
    """
    names = np.unique(labels[labels >= 0])
    members = labels[:, None] == names
    compared = [
        lines
        for feature in encoder.features_
        for lines in [_COMPARE[type(feature)](feature, frame[feature.name], members)]
        if lines
    ]
    profiles = []
    for place, name in enumerate(names):
        lines = [line[place] for line in compared if line[place] is not None]
        lines.sort(key=lambda line: -line["effect"])
        shown = [
            line
            for rank, line in enumerate(lines[:_MOST_COLUMNS])
            if line["effect"] >= _LEAST_EFFECT or not rank
        ]
        n_rows = int(members[:, place].sum())
        profiles.append({"cluster": int(name), "rows": n_rows, "columns": shown})
    return profiles


def describe_profiles(profiles):
    """Such a list for a reader, as pairs of a name and a text."""
    if len(profiles) < 2:
        return
    yield "profiles", "mean or share in the cluster (and in all rows):"
    for profile in profiles[:_MOST_CLUSTERS]:
        texts = ", ".join(map(_describe, profile["columns"]))
        rows = plural(profile["rows"], "row")
        yield f"  {profile['cluster']}", f"{rows}: {texts}"
    if len(profiles) > _MOST_CLUSTERS:
        yield "", f"and {len(profiles) - _MOST_CLUSTERS:,} more clusters"


def _describe(line):
    own, overall = line["in_cluster"], line["in_all"]
    if "value" in line:
        value = shorten_text(line["value"], _VALUE_WIDTH)
        return f"{line['column']} {value!r} {join(f'{own:.0%} ({overall:.0%})')}"
    return f"{line['column']} {join(f'{_shown(own)} ({_shown(overall)})')}"


def _shown(value):
    if isinstance(value, str):  # a date
        return value
    return f"{value:,.0f}" if abs(value) >= _LARGE else f"{value:.3g}"


def find_single_column(encoder, frame, labels):
    """A note if the values of one column determine the clusters; None otherwise."""
    kept = labels >= 0
    labels = labels[kept]
    if len(np.unique(labels)) < 2:
        return None
    for feature in encoder.features_:
        if isinstance(feature, CategoryFeature):
            values = frame[feature.name].map(str)
        elif isinstance(feature, NumberFeature):
            values = _numbers(feature, frame[feature.name])
        else:
            continue
        codes = pd.factorize(values[kept], use_na_sentinel=False)[0]
        n_values = codes.max() + 1
        if isinstance(feature, NumberFeature) and n_values > _MOST_VALUES:
            continue
        table = pd.crosstab(codes, labels).to_numpy()
        # Of rows in the usual cluster of their value, and with the usual value there.
        own, usual = table.max(axis=1).sum(), table.max(axis=0).sum()
        # What the largest cluster and the most common value alone would reach
        by_cluster, by_value = table.sum(axis=0).max(), table.sum(axis=1).max()
        if not _explains(own, by_cluster, len(labels)) or n_values > len(labels) / 5:
            continue
        nearly = "" if min(own, usual) >= _ALIKE * len(labels) else "nearly "
        how = f"{nearly}equal the values"
        if not _explains(usual, by_value, len(labels)):
            how = "are groups of values"
        return (
            f"the clusters {how} of {feature.name!r}; to look for others, add "
            f"--drop {shlex.quote(feature.name)}"
        )
    return None


def _explains(n_right, n_by_chance, n_rows):
    """Whether nearly all rows are right that a constant guess gets wrong."""
    return n_rows - n_right <= (1 - _NEARLY) * (n_rows - n_by_chance)


def _numbers(feature, values):
    reading = Reading(feature.name, feature.form, feature.has_strays)
    return reading.numbers(values)


def _compare_numbers(feature, values, members):
    numbers = _numbers(feature, values).to_numpy(float)
    return _compare_means(feature.name, numbers, members, float)


def _compare_dates(feature, values, members):
    reading = Reading(feature.name, feature.form, feature.has_strays)
    days = (reading.dates(values) - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)

    def shown(mean):
        return (pd.Timestamp("1970-01-01") + pd.Timedelta(days=mean)).date().isoformat()

    return _compare_means(feature.name, days.to_numpy(float), members, shown)


def _compare_means(name, numbers, members, shown):
    known = ~np.isnan(numbers)
    overall, deviation = numbers[known].mean(), numbers[known].std()
    lines = []
    for own in members.T:
        if not (own & known).any() or deviation == 0:
            lines.append(None)
            continue
        mean = numbers[own & known].mean()
        line = {"column": name, "effect": float(abs(mean - overall) / deviation)}
        lines.append(line | {"in_cluster": shown(mean), "in_all": shown(overall)})
    return lines


def _compare_categories(feature, values, members):
    indicators = feature(values)
    return _compare_shares(feature.name, feature.categories, indicators, members, True)


def _compare_words(feature, values, members):
    indicators = (feature(values) > 0).astype(float)
    return _compare_shares(feature.name, feature.words, indicators, members, False)


def _compare_shares(name, values, indicators, members, most_common):
    """Of the most common value in each cluster, or else of that which differs most."""
    if not len(values):
        return None
    sums = sparse.csr_matrix(indicators).T @ members.astype(float)  # (n_values, k)
    shares = sums / members.sum(axis=0)
    overall = np.asarray(indicators.mean(axis=0)).ravel()
    deviations = np.sqrt(np.maximum(overall * (1 - overall), 1e-12))
    effects = np.abs(shares - overall[:, None]) / deviations[:, None]
    lines = []
    for place in range(members.shape[1]):
        ranked = shares[:, place] if most_common else effects[:, place]
        best = int(ranked.argmax())
        line = {"column": name, "value": values[best]}
        line |= {"effect": float(effects[best, place])}
        own = {"in_cluster": float(shares[best, place]), "in_all": float(overall[best])}
        lines.append(line | own)
    return lines


_COMPARE = {
    NumberFeature: _compare_numbers,
    DateFeature: _compare_dates,
    CategoryFeature: _compare_categories,
    TextFeature: _compare_words,
}
