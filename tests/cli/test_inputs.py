import pytest


@pytest.fixture
def photos(folder):
    """A folder of images, and a text file."""
    (folder / "photos" / "more").mkdir(parents=True)
    (folder / "photos" / "more" / "1.PNG").write_bytes(b"")
    (folder / "notes.txt").write_text("a cat\na dog\n")
    (folder / "m.wm").write_bytes(b"PK")
    return folder


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("photos", "a folder of images"),
        ("photos/more/1.PNG", "an image"),
        ("notes.txt", "a text file"),
    ],
)
def test_images_and_texts_are_no_tables(refused, photos, path, what):
    message = refused("predict", "m.wm", path)
    assert f"{path} is {what}, but predict needs a table" in message
    assert "widemargin.load(MODEL).predict(" in message
    message = refused("fit", path, "--target", "label")
    assert f"{path} is {what}, but fit needs a table" in message
    assert f"widemargin label {path}" in message
    message = refused("fit", path, "--target", "label", "--labels", "l.sqlite")
    assert "join the files" not in message


def test_a_text_file_may_be_a_table(done, iris, folder):
    iris.to_csv("iris.txt", index=False)
    words = "--target", "species", "--method", "supervised", "--folds", 0
    done("fit", "iris.txt", "--format", "csv", *words)
