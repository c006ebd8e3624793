import os

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from sklearn.datasets import load_digits, load_iris

from widemargin.studio.sources import (
    ImageArrays,
    default_store,
    encode_image,
    from_arrays,
    look_like_pixels,
    read_source,
)
from widemargin.tables.errors import TableError


@pytest.fixture
def iris(tmp_path):
    """A table of numbers, names, texts, a key and a few labels."""
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    frame["color"] = np.where(y == 0, "white", "blue")
    words = np.array(["a small flower", "one of the middle size", "a really large one"])
    frame["note"] = [f"{words[k]} seen on day {i}" for i, k in enumerate(y)]
    frame["id"] = np.arange(150)
    species = np.where(np.arange(150) % 15 == 0, y, np.nan)
    frame["species"] = pd.Series(species).astype("Int64")
    path = tmp_path / "iris.csv"
    frame.to_csv(path, index=False)
    return path


def make_image(path, shade):
    Image.new("RGB", (40, 30), (shade, 255 - shade, 90)).save(path)


@pytest.fixture
def photos(tmp_path):
    """A folder of images, one broken, one no image, and links out of it."""
    folder = tmp_path / "photos"
    (folder / "more").mkdir(parents=True)
    for i in range(10):
        make_image(folder / f"{i}.png", 25 * i)
    make_image(folder / "more" / "x.jpg", 30)
    (folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnot an image")
    (folder / "notes.txt").write_text("no image")
    make_image(tmp_path / "secret.png", 1)
    os.symlink(tmp_path / "secret.png", folder / "link.png")
    os.symlink(tmp_path, folder / "linked")
    return folder


def test_a_table_of_all_kinds_of_columns(iris):
    source = read_source(str(iris), "species")
    assert source.n_rows == 150
    assert source.labels == {i: str(i // 50) for i in range(0, 150, 15)}
    assert source.values == {"0": "0", "1": "1", "2": "2"}
    assert source.X.shape[0] == 150
    assert np.isfinite(source.X.data).all()
    assert "id (looks like an identifier" in source.note
    assert list(source.frame) == list(pd.read_csv(iris))
    assert "species" not in source.shown


def test_columns_can_be_chosen(iris):
    source = read_source(
        str(iris), "species", uses={"text": ("color",), "drop": ("a",)}
    )
    assert "color" in source.note
    assert "a (by --drop)" in source.note
    uses = {"drop": ("a", "color", "note"), "numeric": ("id",)}
    assert read_source(str(iris), "species", uses=uses).X.shape == (150, 4)
    with pytest.raises(TableError, match="no column 'nope'"):
        read_source(str(iris), "species", uses={"text": ("nope",)})


def test_a_target_need_not_exist(iris):
    source = read_source(str(iris), "kind")
    assert (source.labels, source.target) == ({}, "kind")


def test_a_column_of_numbers_is_no_target(tmp_path, rng):
    path = tmp_path / "t.csv"
    pd.DataFrame({"a": rng.normal(size=600), "b": rng.normal(size=600)}).to_csv(path)
    with pytest.raises(TableError, match="600 different ones, more than 500"):
        read_source(str(path), "b")
    frame = pd.DataFrame({"a": rng.normal(size=60), "b": [0.5, 1.25, None] * 20})
    frame.to_csv(path, index=False)
    assert read_source(str(path), "b").values == {"0.5": "0.5", "1.25": "1.25"}


def test_new_classes_of_whole_numbers_are_whole():
    source = from_arrays(np.eye(4), y=[0, 1, 2, -1])
    assert source.original(["2", "0", "7"]) == [2, 0, 7]
    assert source.original(["2", "other"]) == ["2", "other"]
    assert source.original(["2", "007"]) == ["2", "007"]


def test_a_table_of_one_text_column(tmp_path):
    path = tmp_path / "mails.tsv"
    texts = [
        f"this is the mail number {i} about {'cats' if i % 2 else 'dogs'}"
        for i in range(20)
    ]
    pd.DataFrame({"mail": texts}).to_csv(path, sep="\t", index=False)
    source = read_source(str(path))
    assert source.texts == texts
    assert source.X.shape[0] == 20
    assert source.note.endswith("Features: mail.")


def test_lines_of_a_text_file(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("\ufeffa cat\n\n a dog \nanother cat\n", "utf-8")
    source = read_source(str(path))
    assert source.texts == ["a cat", "a dog", "another cat"]
    assert source.note.endswith(
        "1 blank line is left out; each row shows the number of its line."
    )
    assert source.shown["line"].tolist() == ["1", "3", "4"]
    path.write_text("a cat\na dog\nanother cat\n", "utf-8")
    assert (read_source(str(path)).note, read_source(str(path)).shown) == (
        "Features: TF-IDF of 3 words.",
        None,
    )
    assert read_source(str(path)).hash == source.hash  # the rows are the same
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(TableError, match="not a text file in UTF-8"):
        read_source(str(path))
    path.write_text("? !\n!!\n??\n")
    with pytest.raises(TableError, match="holds no words"):
        read_source(str(path))
    path.write_text("")
    with pytest.raises(TableError, match="is empty"):
        read_source(str(path))


def test_a_folder_of_images(photos):
    source = read_source(str(photos))
    names = source.frame["file"].tolist()
    assert "link.png" not in names
    assert not any(name.startswith("linked") for name in names)
    assert os.path.join("more", "x.jpg") in names
    assert len(names) == 12
    assert source.X.shape[0] == 12
    assert np.isfinite(source.X).all()
    assert "1 of the files cannot be used" in source.note
    assert "broken.png cannot be read as an image." in source.note
    assert list(source.unreadable) == [names.index("broken.png")]
    assert encode_image(source.images, 0, 16).startswith(b"\x89PNG")
    with pytest.raises(ValueError, match=r"broken\.png cannot be read as an image"):
        encode_image(source.images, names.index("broken.png"), 16)


def test_a_link_that_appears_later_is_not_followed(photos, tmp_path):
    source = read_source(str(photos))
    (photos / "0.png").unlink()
    os.symlink(tmp_path / "secret.png", photos / "0.png")
    with pytest.raises(ValueError, match="leads out of the folder"):
        source.images.open(source.frame["file"].tolist().index("0.png"))


def test_images_that_would_fill_the_memory_are_not_opened(photos):
    Image.new("1", (14_000, 14_000)).save(photos / "bomb.png")
    source = read_source(str(photos))
    row = source.frame["file"].tolist().index("bomb.png")
    with pytest.raises(ValueError, match=r"bomb\.png is too large"):
        source.images.open(row)
    assert "bomb.png is too large" in source.note
    Image.new("1", (8_000, 8_000)).save(photos / "large.png")
    assert "large.png is too large: 8,000 x 8,000 pixels, more than 50 million." in (
        read_source(str(photos)).note
    )


def test_a_picture_is_small_and_holds_nothing_else(photos):
    path = photos / "0.png"
    image = Image.new("RGB", (3000, 2000))
    facts = PngInfo()
    facts.add_text("place", "secret place")
    image.save(path, pnginfo=facts)
    assert b"secret place" in path.read_bytes()
    source = read_source(str(photos))
    data = encode_image(source.images, source.frame["file"].tolist().index("0.png"), 96)
    assert b"secret place" not in data
    from io import BytesIO

    assert max(Image.open(BytesIO(data)).size) == 96


def test_own_embeddings(photos, tmp_path, rng):
    X = rng.normal(size=(12, 5)).astype(np.float32)
    np.save(tmp_path / "e.npy", X)
    source = read_source(str(photos), embeddings=str(tmp_path / "e.npy"))
    np.testing.assert_array_equal(source.X, X)
    pd.DataFrame(X, columns=list("abcde")).to_parquet(tmp_path / "e.parquet")
    source = read_source(str(photos), embeddings=str(tmp_path / "e.parquet"))
    np.testing.assert_allclose(source.X, X)
    np.save(tmp_path / "short.npy", X[:5])
    with pytest.raises(TableError, match=r"5 lines, but .* has 12 rows"):
        read_source(str(photos), embeddings=str(tmp_path / "short.npy"))
    np.save(tmp_path / "pickle.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(TableError, match="not a NumPy array file"):
        read_source(str(photos), embeddings=str(tmp_path / "pickle.npy"))


@pytest.mark.parametrize("what", ["missing.txt", "missing.csv", "-", "empty"])
def test_inputs_that_cannot_be_used(tmp_path, monkeypatch, what):
    monkeypatch.chdir(tmp_path)
    os.mkdir("empty")
    with pytest.raises(TableError):
        read_source(what)


def test_changes_of_the_data_change_the_hash(iris, photos):
    first = read_source(str(iris), "species").hash
    assert read_source(str(iris), "species").hash == first
    frame = pd.read_csv(iris)
    frame["species"] = None  # labels are no part of it
    frame.to_csv(iris, index=False)
    assert read_source(str(iris), "species").hash == first
    frame.loc[3, "a"] += 0.1
    frame.to_csv(iris, index=False)
    assert read_source(str(iris), "species").hash != first
    first = read_source(str(photos)).hash
    make_image(photos / "new.png", 3)
    assert read_source(str(photos)).hash != first


def test_arrays_of_images_have_any_range(rng):
    images = ImageArrays(rng.normal(size=(4, 5, 6)))
    assert images.open(2).size == (6, 5)
    assert ImageArrays(rng.integers(255, size=(4, 5, 6, 3))).open(0).mode == "RGB"
    for wrong in (np.zeros(3), np.zeros((2, 3, 4, 5)), np.array([["a"]])):
        with pytest.raises(ValueError, match="images of label"):
            ImageArrays(wrong)


def test_arrays(rng):
    X = rng.normal(size=(5, 2))
    source = from_arrays(X, [0, 1, -1, -1, 1])
    assert source.labels == {0: "0", 1: "1", 4: "1"}
    assert from_arrays(pd.DataFrame(X, columns=["u", "v"])).shown.columns.tolist() == [
        "u",
        "v",
    ]
    assert from_arrays(None, texts=["a cat", "a dog", "no cat"]).n_rows == 3
    for given, message in (
        ({"X": None}, "label needs rows"),
        ({"X": X, "y": [1]}, "y of label must have 5 entries, got 1"),
        ({"X": X, "texts": ["a"]}, "texts of label must have 5"),
        ({"X": X, "images": np.zeros((2, 3, 3))}, "images of label must have 5"),
        ({"X": X[0]}, "must be a matrix"),
        ({"X": X[:2]}, "at least three rows"),
        ({"X": np.where(X.max() == X, np.nan, X)}, "finite numbers, got NaN"),
    ):
        with pytest.raises(ValueError, match=message):
            from_arrays(**given)


def test_labels_have_a_file_beside_the_work():
    assert default_store("data/iris.csv.gz") == "iris-labels.sqlite"
    assert default_store("data/photos/") == "photos-labels.sqlite"


@pytest.mark.parametrize(
    ("names", "is_pixels"),
    [
        ([f"pixel{i}" for i in range(64)], True),
        ([f"PX {i}" for i in range(49)], True),
        ([f"{i}x{j}" for i in range(1, 9) for j in range(1, 9)], True),
        ([f"r{i}_c{j}" for i in range(7) for j in range(7)], True),
        ([f"{i}x{j}" for i in range(2, 9) for j in range(7)], False),
        ([f"pixel{i}" for i in range(36)], False),
        ([f"pixel{i}" for i in range(63)], False),
        ([*(f"pixel{i}" for i in range(63)), "age"], False),
        ([f"x{i}" for i in range(64)], False),
    ],
)
def test_columns_of_pixels_are_noticed(names, is_pixels):
    frame = pd.DataFrame(np.zeros((3, len(names))), columns=names)
    assert look_like_pixels(frame) == is_pixels
    assert not look_like_pixels(frame.assign(**{names[0]: "a"}))


def test_pixels_are_noticed_by_their_values(rng):
    def looks(X):
        names = [f"p{i}" for i in range(np.shape(X)[1])]
        return look_like_pixels(pd.DataFrame(X, columns=names))

    digits = load_digits().data
    assert looks(digits)
    assert looks(digits[:20] / 16)
    assert not looks(digits[:, rng.permutation(64)])
    assert not looks(rng.normal(size=(200, 64)))
    assert not looks(rng.normal(size=(200, 1)) + rng.normal(size=(200, 64)))
    assert not looks(rng.normal(size=(200, 64)).cumsum(axis=1))
    waves = np.sin(np.arange(64) / 4 + 6 * rng.random((200, 1)))
    assert not looks(waves)
    assert not looks(np.where(digits == 16, np.nan, digits))


def test_a_table_of_pixels_is_noted_and_its_columns_are_few(tmp_path, rng):
    names = [f"pixel_{i}" for i in range(64)]
    frame = pd.DataFrame(rng.integers(17, size=(20, 64)), columns=names)
    frame["label"] = ["a", None] * 10
    frame.to_csv(tmp_path / "digits.csv", index=False)
    note = read_source(str(tmp_path / "digits.csv")).note
    assert "pixel_7 and 56 more." in note
    assert "pixel_8" not in note
    assert "widemargin.label(X, images=...) shows pictures." in note
