"""From a key press to the painted map of `widemargin label`, in headless Chromium.

    WIDEMARGIN_DATA=... python benchmarks/speed/label_page.py [usps beside many]

Wall-clock milliseconds, median and 95th percentile: run it on an idle machine. Needs
playwright and an installed Chromium (its path in WIDEMARGIN_CHROMIUM if it has another
name).

usps    9,298 rows: time to the first page, and key to paint with 100 to 130 labels
beside  the same while a full fit runs beside it
many    100,000 rows of 20 columns: frames per second while the map is moved, time of a
        lasso, and key to paint. The model is prepared first, which takes half a minute
"""

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np

from widemargin.studio.run import open_page
from widemargin.studio.sources import from_arrays
from widemargin_bench.stored_sets import load_set

N_LABELS, N_KEYS = 100, 30
ARGUMENTS = (
    "--no-sandbox --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
WATCH = """() => {
  window.times = [];
  const look = () => {
    const facts = document.body.dataset;
    if (facts.pressed && facts.painted && facts.painted === facts.answered) {
      window.times.push(performance.now() - Number(facts.pressed));
      delete facts.pressed;
    }
  };
  new MutationObserver(look).observe(document.body, { attributes: true });
}"""
FRAMES = """() => new Promise((done) => {
  const begin = performance.now();
  let n = 0;
  const step = () => {
    n += 1;
    const now = performance.now();
    if (now - begin > 3000) done(1000 * n / (now - begin));
    else requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})"""


def open_window(browser, server):
    """A page that is ready, and the seconds it took."""
    begin = time.perf_counter()
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(server.url)
    page.wait_for_selector("body[data-ready=yes][data-place]", timeout=600_000)
    page.evaluate(WATCH)
    return page, time.perf_counter() - begin


def press_keys(page, y, n_keys, pause):
    """Label proposed rows by keys; milliseconds from key to paint."""
    for _ in range(n_keys):
        row = int(page.get_attribute("body", "data-row"))
        selector = f'#classes button[data-class="{y[row]}"] kbd'
        key = page.inner_text(selector)
        page.keyboard.press(key)
        page.wait_for_selector(f'body:not([data-row="{row}"])', timeout=60_000)
        page.wait_for_selector("body:not([data-pressed])", timeout=60_000)
        page.wait_for_timeout(pause)
    return page.evaluate("() => window.times")


def label_first(session, y, n_labels):
    """Give the first labels."""
    rows = np.random.default_rng(0).permutation(len(y))[:n_labels].tolist()
    for name in np.unique(y).tolist():
        own = [row for row in rows if y[row] == name]
        session.act("label", f"b{name}", "me", rows=own, label=str(name), why="random")
    session.settle()


def describe(title, times):
    """Print a line."""
    median, high = np.percentile(times, [50, 95])
    print(f"{title}: median {median:.0f} ms, 95 % below {high:.0f} ms", flush=True)


def measure(browser, X, y, title, *, beside=False, many=False):
    """Measure one source."""
    with tempfile.TemporaryDirectory() as folder:
        server = open_page(from_arrays(X), Path(folder) / "l.sqlite", port=0)
        page, seconds = open_window(browser, server)
        print(f"{title}: first page after {seconds:.2f} s", flush=True)
        label_first(server.session, y, N_LABELS)
        page.reload()
        page.wait_for_selector("body[data-ready=yes][data-painted]", timeout=600_000)
        page.wait_for_selector("body[data-layout=neighbors]", timeout=600_000)
        page.evaluate(WATCH)
        page.wait_for_timeout(2000)
        if beside:
            server.session.fit_fully()
        describe(f"{title}, key to paint", press_keys(page, y, N_KEYS, 700))
        if beside:
            print(f"the full fit is {server.session.full['status']} after that")
        if many:
            measure_map(page)
        page.close()
        server.stop()


def measure_map(page):
    """Frames per second while the map is moved, and time of a lasso."""
    box = page.query_selector("#points").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.evaluate(f"() => {{ window.rate = ({FRAMES})(); }}")
    page.mouse.move(x, y)
    page.mouse.down()
    begin = time.perf_counter()
    while time.perf_counter() - begin < 3.2:
        for step in range(40):
            page.mouse.move(x + step, y + step)
    page.mouse.up()
    print(f"{page.evaluate('() => window.rate'):.0f} frames per second while panning")
    page.click("#whole")
    page.click("#lasso")
    angles = np.linspace(0, 2 * np.pi, 100)
    page.mouse.move(x + 300, y)
    page.mouse.down()
    for angle in angles:
        page.mouse.move(x + 300 * np.cos(angle).item(), y + 250 * np.sin(angle).item())
    page.mouse.up()
    page.wait_for_selector("body[data-selected]")
    spent = float(page.get_attribute("#points", "data-lasso-time"))
    print(f"lasso: {spent:.0f} ms, {page.get_attribute('body', 'data-selected')} rows")


def main():
    """Measure what is named."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", default=["usps", "beside"])
    parts = parser.parse_args().parts
    path = os.environ.get("WIDEMARGIN_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=ARGUMENTS.split())
        if {"usps", "beside"} & set(parts):
            data = load_set("usps")
            X, y = data.data, np.unique(data.target, return_inverse=True)[1]
        if "usps" in parts:
            measure(browser, X, y, "usps")
        if "beside" in parts:
            measure(browser, X, y, "usps beside a full fit", beside=True)
        if "many" in parts:
            rng = np.random.default_rng(0)
            y = rng.integers(30, size=100_000)
            X = 3 * rng.normal(size=(30, 20))[y] + rng.normal(size=(100_000, 20))
            measure(browser, X, y % 10, "100,000 rows", many=True)
        browser.close()


if __name__ == "__main__":
    main()
