"""Screenshots and a moving picture of `widemargin label` for the documentation.

    python tools/label_pictures.py

A program labels the digits of scikit-learn in headless Chromium, as a person would, and
writes docs/_static/label-*.png and label.webp, a picture after each label. Needs
playwright, pillow and an installed Chromium.
"""

import io
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parents[1] / "docs" / "_static"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
N_LABELS = 30  # after the groups
FRAME_SIZE = (840, 525)
FRAME_TIME, LAST_TIME = 450, 3000  # milliseconds


def shoot(page, name):
    """Write a picture with few colors, which takes little space."""
    from PIL import Image

    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    image = image.quantize(96, dither=Image.Dither.NONE)
    image.save(FOLDER / f"label-{name}.png", optimize=True)


def take_frame(page):
    """A frame of the moving picture."""
    from PIL import Image

    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    return image.resize(FRAME_SIZE, Image.Resampling.LANCZOS)


def write_frames(frames):
    """Write the moving picture, which starts anew at its end."""
    first, *others = frames
    times = [1500, *[FRAME_TIME] * (len(frames) - 2), LAST_TIME]
    options = {"quality": 60, "method": 6, "minimize_size": True, "loop": 0}
    path = FOLDER / "label.webp"
    first.save(path, save_all=True, append_images=others, duration=times, **options)
    print(f"{path.name}: {len(frames)} frames, {path.stat().st_size / 1000:.0f} kB")


def name_groups(page, y):
    """Name groups by the digit that most of their examples show."""
    for group in page.query_selector_all(".group"):
        buttons = group.query_selector_all(".examples button")
        rows = [int(b.get_attribute("aria-label").split()[1]) - 1 for b in buttons]
        name = np.bincount(y[rows]).argmax()
        for row, button in zip(rows, buttons, strict=True):
            if y[row] != name:
                button.click()
        group.query_selector("input").fill(str(name))


def label(page, y, n_labels):
    """Label proposed rows by keys; a frame after each."""
    frames = []
    for _ in range(n_labels):
        row = int(page.get_attribute("body", "data-row"))
        page.keyboard.press(str(y[row]))
        page.wait_for_selector(f'body:not([data-row="{row}"])')
        page.wait_for_timeout(300)
        frames.append(take_frame(page))
    return frames


def main():
    """Write all pictures."""
    from playwright.sync_api import sync_playwright
    from sklearn.datasets import load_digits

    from widemargin.studio.run import open_page
    from widemargin.studio.sources import from_arrays

    X, y = load_digits(return_X_y=True)
    source = from_arrays(X, images=X.reshape(-1, 8, 8), names="digits")
    path = os.environ.get("WIDEMARGIN_CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as running:
        server = open_page(source, Path(folder) / "labels.sqlite", port=0)
        browser = running.chromium.launch(executable_path=path, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1200, "height": 750})
        page.set_default_timeout(120_000)
        page.goto(server.url)
        page.wait_for_selector("#clusters[open]")
        page.fill("#n-classes", "10")
        page.click("#show-groups")
        page.wait_for_selector(".group")
        page.wait_for_timeout(1000)
        shoot(page, "groups")
        name_groups(page, y)
        frames = [take_frame(page)]
        page.click("#use-names")
        page.wait_for_selector("body[data-layout=neighbors][data-status=ready]")
        page.wait_for_timeout(3000)
        frames += [take_frame(page), *label(page, y, N_LABELS)]
        page.wait_for_timeout(3000)
        shoot(page, "light")
        write_frames([*frames, take_frame(page)])
        browser.close()
        server.stop()


if __name__ == "__main__":
    main()
