"""Twenty tables as people have them, with what each column should be used as."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

N = 80
GOOD = ["great", "love", "fast", "solid", "bright", "perfect", "happy", "works"]
BAD = ["broken", "refund", "slow", "cracked", "returned", "awful", "late", "noisy"]
COMMON = ["the", "phone", "screen", "case", "order", "arrived", "battery", "and", "box"]
rng = np.random.default_rng(0)
CLASS = np.arange(N) % 2  # ground truth of every table
SHIFT = CLASS + rng.normal(0, 0.3, N)  # a number that follows from it


def pick(*values):
    return rng.choice(np.array(values, dtype=object), N).tolist()


def review(label):
    words = [*rng.choice((GOOD, BAD)[label], 3), *rng.choice(COMMON, 5)]
    return " ".join(rng.permutation(words))


def with_gaps(values, mark="", share=0.2):
    return [mark if rng.random() < share else value for value in values]


@dataclass(frozen=True)
class Messy:
    """Columns of a table, what they should be used as, and how it is written."""

    columns: dict
    kinds: dict
    separator: str = ","
    options: dict = field(default_factory=dict)


NUMBER = [f"{value:.3f}" for value in SHIFT]
DAYS = pd.Timestamp("2023-01-01") + pd.to_timedelta((200 * SHIFT).astype(int), "D")
TABLES = {
    "plain": Messy(
        {"a": NUMBER, "b": pick("x", "y")}, {"a": "numbers", "b": "categories"}
    ),
    "dollars": Messy(
        {"price": [f"${1000 * abs(v):,.2f}" for v in SHIFT]}, {"price": "numbers"}
    ),
    "euros": Messy(
        {
            "preis": [
                f"{1000 * abs(v):_.2f} €".translate({95: ".", 46: ","}) for v in SHIFT
            ]
        },
        {"preis": "numbers"},
        separator=";",
    ),
    "decimal comma": Messy(
        {"x": [value.replace(".", ",") for value in NUMBER]}, {"x": "numbers"}, ";"
    ),
    "percent": Messy({"rate": [f"{100 * v:.1f}%" for v in SHIFT]}, {"rate": "numbers"}),
    "accounting": Messy(
        {"profit": [f"({-v:.2f})" if v < 0 else f"{v:.2f}" for v in SHIFT]},
        {"profit": "numbers"},
    ),
    "ISO dates": Messy({"when": DAYS.strftime("%Y-%m-%d").tolist()}, {"when": "dates"}),
    "ISO times": Messy(
        {"when": DAYS.strftime("%Y-%m-%dT%H:%M:%SZ").tolist()}, {"when": "dates"}
    ),
    "American dates": Messy(
        {"when": DAYS.strftime("%m/%d/%Y").tolist()}, {"when": "dates"}
    ),
    "German dates": Messy(
        {"when": DAYS.strftime("%d.%m.%Y").tolist()}, {"when": "dates"}, separator=";"
    ),
    "written dates": Messy(
        {"when": DAYS.strftime("%d %b %Y").tolist()}, {"when": "dates"}
    ),
    "reviews": Messy(
        {"review": [review(label) for label in CLASS]}, {"review": "text"}
    ),
    "identifiers": Messy(
        {
            "customer_id": range(5000, 5000 + N),
            "uuid": [f"{i:08x}-{7 * i:04x}" for i in range(1000, 1000 + N)],
            "mail": [f"user{i}@example.org" for i in range(N)],
            "x": NUMBER,
        },
        {
            "customer_id": "left out",
            "uuid": "left out",
            "mail": "left out",
            "x": "numbers",
        },
    ),
    "placeholders": Messy(
        {"x": with_gaps(NUMBER, "unknown", 0.1), "c": with_gaps(pick("u", "v"), "?")},
        {"x": "numbers", "c": "categories"},
    ),
    "missing values": Messy(
        {
            "x": with_gaps(NUMBER),
            "y": with_gaps(NUMBER, "NA"),
            "c": with_gaps(["k"] * N),
        },
        {"x": "numbers", "y": "numbers", "c": "categories"},
    ),
    "mixed types": Messy(
        {"size": pick("10", "12", "XL", "L"), "x": with_gaps(NUMBER, "n.a.", 0.05)},
        {"size": "categories", "x": "numbers"},
    ),
    "booleans": Messy(
        {"ok": pick("TRUE", "FALSE"), "yes": pick("yes", "no"), "x": NUMBER},
        {"ok": "numbers", "yes": "categories", "x": "numbers"},
    ),
    "constant and empty": Messy(
        {"one": ["1"] * N, "none": [""] * N, "x": NUMBER},
        {"one": "left out", "none": "left out", "x": "numbers"},
    ),
    "codes with zeros": Messy(
        {"zip": pick("01067", "10115", "20095"), "x": NUMBER},
        {"zip": "numbers", "x": "numbers"},
    ),
    "everything": Messy(
        {
            "id": range(N),
            "price": [f"${v + 2:.2f}" for v in SHIFT],
            "when": DAYS.strftime("%Y-%m-%d").tolist(),
            "review": [review(label) for label in CLASS],
            "color": with_gaps(pick("red", "blue")),
        },
        {
            "id": "left out",
            "price": "numbers",
            "when": "dates",
            "review": "text",
            "color": "categories",
        },
    ),
}
