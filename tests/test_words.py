"""`tools/words.py` finds phrases that sound translated, wherever they stand."""

import pytest

words = pytest.importorskip("words", reason="installed without the tools")


@pytest.mark.parametrize(
    "phrase",
    [
        "asks each about labels that it did not see, and averages them accordingly",
        "the labels themselves decide how far the unlabeled rows are believed",
        "Columns of numbers and of words are prepared by themselves.",
        "one exception: -1 is no class, it marks a row without a label",
        "Which of it holds for your data is not known beforehand.",
        "probabilities that know how sure they are",
        "this many labels more may a candidate miss until it weighs a tenth",
        "1: a mistake of ours",
        "Tell the progress on standard error",
        "asks the candidates about 1777 rows",
        "Unlabeled rows in another class than the labels alone say",
        "that of the others for who was asked none",
        "what the labels alone count before they are asked; others 1",
        "who leaves out one label of three learns from two",
        "the weight, too.",
        "two labels a class",
        "300 training rows are inside: whoever has the file can read them",
        "20 labels held out in turns",
        "equal shares as far as chance explains the differences",
    ],
)
def test_phrases_are_found(phrase):
    assert words.find_phrases(phrase)


@pytest.mark.parametrize(
    "text",
    [
        "one\n    # -1 is no class, it\n    # marks a row",
        '(\n    "two " "words"\n    "the -1 is no class, it "\n    "marks a row"\n)',
        "one\n> -1 is no class,\n> it marks a row",
    ],
)
def test_phrases_over_several_lines_are_found(text):
    (found,) = words.find_phrases(text)
    line, phrase, instead = found
    assert phrase == "is no class, it marks"
    assert "class" in text.splitlines()[line - 1]
    assert instead


def test_plain_sentences_pass():
    text = "Held-out performance sets the influence of rows. A label is too few.\n"
    assert words.find_phrases(text) == []


def test_places_are_listed(tmp_path, capsys):
    (tmp_path / "docs" / "_build").mkdir(parents=True)
    (tmp_path / "docs" / "_build" / "made.md").write_text("a mistake of ours")
    assert words.main(tmp_path) == 0
    (tmp_path / "docs" / "page.md").write_text("Fine.\n\nThis is a mistake of ours.")
    assert words.main(tmp_path) == 1
    assert capsys.readouterr().out.startswith("docs/page.md:3: 'mistake of ours'")
