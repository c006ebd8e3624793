"""Find phrases that sound translated, and say what to write instead.

``python tools/words.py`` reads the text files of the repository and lists every place
with such a phrase; `make lint` runs it. Write the way scikit-learn's user guide does:
subject first, the field's standard term before a metaphor, no personification of
models, "also" before the verb.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACES = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "CITATION.cff",
    "src",
    "docs",
    "examples",
    "tests",
    "benchmarks",
    "tools",
)
KINDS = {".py", ".md", ".rst", ".cff", ".css", ".html", ".svg", ".js", ".ipynb"}
MADE = {"_build", "auto_examples", "generated", "__pycache__"}  # by a build
OWN = {"words.py", "test_words.py"}  # these must name the phrases

# A regular expression over words that are separated by single spaces, and the words to
# use instead.
PHRASES = {
    r"ask(s|ed|ing)? (each|every one|them|it) about": "scores each on held-out labels",
    r"averages? them accordingly": "weights each by its score",
    r"(is|are|was|were) believed": "has influence; held-out performance sets it",
    r"prepared by (themselves|itself)": "preprocessed automatically",
    r"is no class, it marks": 'except that -1 means "unlabeled"',
    r"which of (it|them|these) holds for": "which of the two applies",
    r"(not|never) known beforehand": "you cannot know in advance",
    r"know(s|ing)? how (sure|certain)": "with uncertainty estimates",
    r"labels more may": "how many extra mistakes ...",
    r"until (it|they) weighs? a": "... cut its weight to a tenth",
    r"(mistake|slip|fault)s? of ours": "internal error",
    r"tell(s|ing)? the progress": "show progress",
    r"ask(s|ed|ing)? the candidates": "predicting unlabeled rows",
    r"labels alone (say|tell|know)": "the labels-only model predicts",
    r"who (was|were) asked": "what was scored",
    r"before (they|it) (are|is) asked": "prior weight",
    r"what (the )?labels alone count": "prior weight of the supervised model",
    r"who leaves out": "leaving out one of three labels leaves two",
    r"ask(s|ed|ing)? (for )?(the )?labels? (of|for|from)": "suggest rows to label",
    r"models? (asks?|believes?|knows?|doubts?|says?|tells?)": "name what is computed",
    r"how far \w+( \w+)? counts?": "the weight of",
    r"mend(s|ed|ing)?": "repair",
    r"some (seconds|minutes|hours)": "about ten seconds",
    r"printed (is|are) the": "the command prints",
    r"(two|three|five|ten|few|many|\d+) labels a class": "labels per class",
    r"whoever (has|can)": "anyone who",
    r"as far as chance": "to the extent that chance explains",
    r"in turns(?! ?\()": "in turn, or alternately",
    r"says? (very )?little": "are few, or are not comparable",
    r"hear of": "receive",
    r"too few (labels|rows) to (say|tell)": "too few to decide",
    r"worth a \w+ are": "subject first",
    r"arrives? at": "results in",
    r"(models?|labels?|figures?|digits|estimates?|it) rests? on": "is computed from",
    r"ha(s|ve) to do with": "is related to",
    r"are inside": "the model contains",
    r"\w+, too(?=[.,;:)]| ?$)": "also, before the verb",
}
PATTERNS = {
    re.compile(rf"(?<!\w){phrase}(?!\w)", re.IGNORECASE): instead
    for phrase, instead in PHRASES.items()
}
# What may stand between two words that follow each other: line ends, signs of comments
# and of quotes, the quotation marks of strings that are joined.
BREAK = re.compile(r"""[ \t]*["']?[ \t]*\n\s*(?:#:?|>|[frb]{0,2}["'])?\s*|\s+""")


def find_phrases(text: str) -> list[tuple[int, str, str]]:
    """Line number, phrase and what to write instead, for every phrase in a text."""
    joined, lines = _join_lines(text)
    found = []
    for pattern, instead in PATTERNS.items():
        for match in pattern.finditer(joined):
            found.append((lines[match.start()], match.group(), instead))
    return sorted(found)


def _join_lines(text):
    """The text on one line, and the line that each of its characters comes from."""
    parts, lines, line, start = [], [], 1, 0
    for gap in BREAK.finditer(text):
        word = text[start : gap.start()]
        parts += [word, " "]
        lines += [line] * (len(word) + 1)
        line += gap.group().count("\n")
        start = gap.end()
    parts.append(text[start:])
    lines += [line] * (len(parts[-1]) + 1)
    return "".join(parts), lines


def list_files(root: Path) -> list[Path]:
    """The files that people read or that hold what they read."""
    files = []
    for place in PLACES:
        path = root / place
        files += sorted(path.rglob("*")) if path.is_dir() else [path]
    return [
        path
        for path in files
        if path.suffix in KINDS
        and path.name not in OWN
        and not MADE & set(path.parts)
        and path.is_file()
    ]


def main(root: Path = ROOT) -> int:
    """Print all places; 1 if there are some."""
    n_found = 0
    for path in list_files(root):
        for line, phrase, instead in find_phrases(path.read_text("utf-8")):
            print(f"{path.relative_to(root)}:{line}: {phrase!r}: {instead}")
            n_found += 1
    return int(n_found > 0)


if __name__ == "__main__":
    sys.exit(main())
