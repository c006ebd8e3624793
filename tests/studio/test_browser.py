"""The page in a real browser: what a person does, and what must not happen."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from sklearn.datasets import load_digits, load_iris
from studio_pages import start_page

from widemargin.studio.sources import from_arrays, read_source
from widemargin.studio.store import read_store

pytestmark = pytest.mark.slow

CHROMIUM = os.environ.get("WIDEMARGIN_CHROMIUM") or next(
    filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])),
    None,
)
ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
)
PATIENCE = 60_000  # milliseconds, on a busy machine
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'`${alert(3)}"


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    if CHROMIUM is None:
        pytest.skip("no Chromium: install chromium, or set WIDEMARGIN_CHROMIUM")
    with playwright.sync_playwright() as running:
        options = {"executable_path": CHROMIUM, "args": ARGUMENTS.split()}
        browser = running.chromium.launch(**options)
        yield browser
        browser.close()


class Window:
    """A page, and what a person can do there."""

    def __init__(self, page):
        self.page = page

    def wait(self, selector, **options):
        return self.page.wait_for_selector(selector, timeout=PATIENCE, **options)

    def fact(self, name):
        return self.page.get_attribute("body", f"data-{name}")

    @property
    def row(self):
        return int(self.fact("row"))

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def add_class(self, name):
        self.press("+")
        self.wait("#class-name:focus")
        self.page.keyboard.type(name)
        self.press("Enter")
        self.wait(f"#classes button:has-text({json.dumps(name)})")

    def label(self, key):
        """Label the row on the card, and wait for the next one."""
        row, n = self.row, int(self.fact("labels"))
        self.press(key)
        self.wait(f'body:not([data-row="{row}"])')
        self.wait(f'body[data-labels="{n + 1}"]')

    def settle(self):
        """Wait until the map shows the labels."""
        self.wait('body[data-status="ready"]')
        place = self.fact("place")
        self.wait(f'body[data-painted="{place}"]')


@pytest.fixture
def visit(browser, tmp_path, monkeypatch):
    """Open pages; in the end there was no error, and no request to elsewhere."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    servers, contexts, troubles = [], [], []

    @contextmanager
    def tolerating(*texts):
        before = list(troubles)
        yield
        troubles[:] = before + [
            t for t in troubles[len(before) :] if not any(text in t for text in texts)
        ]

    def watch(context, address):
        def on_request(request):
            if not request.url.startswith((address, "ws" + address[4:], "blob:")):
                troubles.append(f"request to {request.url}")

        def on_console(message):
            if message.type in ("error", "warning"):
                troubles.append(message.text)

        context.on("request", on_request)
        context.on("console", on_console)
        context.on("weberror", lambda error: troubles.append(str(error.error)))
        context.on("dialog", lambda dialog: troubles.append(f"alert {dialog.message}"))

    def open_window(server, context=None, ready=True, **options):
        if context is None:
            context = browser.new_context(
                **{"viewport": {"width": 1280, "height": 800}, **options}
            )
            contexts.append(context)
            watch(context, f"http://127.0.0.1:{server.port}/")
        window = Window(context.new_page())
        window.page.goto(server.url)
        if ready:
            window.wait("body[data-ready=yes][data-place]")
        return window

    def start(source, name="labels.sqlite", **options):
        servers.append(start_page(source, tmp_path / name, **options))
        return servers[-1]

    open_window.start, open_window.tolerating = start, tolerating
    yield open_window
    for context in contexts:
        context.close()
    for server in servers:
        server.stop()
    assert not troubles


@pytest.fixture
def digits_page(visit, source):
    return visit.start(source)


def begin(window, names=("zero", "one", "two", "three")):
    """Close the first dialog and make classes."""
    window.wait("#clusters[open]")
    window.press("Escape")
    window.wait("#clusters:not([open])", state="attached")
    hint = window.page.wait_for_selector("#classes .note")
    width = window.page.evaluate("document.querySelector('#classes').clientWidth")
    assert hint.bounding_box()["width"] == pytest.approx(width, abs=2)
    for name in names:
        window.add_class(name)


def contrast(window, part):
    """Contrast of the text of a part with its background, by WCAG."""
    return window.page.evaluate(
        """part => {
          const style = getComputedStyle(document.querySelector(part));
          const [a, b] = [style.color, style.backgroundColor].map((text) => {
            const parts = text.match(/[\\d.]+/g).slice(0, 3).map((value) => value / 255)
              .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2] + 0.05;
          });
          return Math.max(a, b) / Math.min(a, b);
        }""",
        part,
    )


def names_of(server):
    return {row: event.label for row, event in server.session.state.labels.items()}


KEYS = {"zero": "1", "one": "2", "two": "3", "three": "4"}


def test_label_by_keys_alone(visit, digits_page, digits):
    window, names = visit(digits_page), digits[1]
    begin(window)
    for _ in range(12):
        window.label(KEYS[names[window.row]])
    window.settle()
    found = names_of(digits_page)
    assert len(found) == 12
    assert all(names[row] == label for row, label in found.items())
    assert "12 of 300 rows labeled" in window.page.inner_text("#count")
    assert window.page.inner_text("#quality .figure") == "not known yet"
    predicted, _, _ = digits_page.session.predictions()
    assert np.mean(predicted == np.array(names)) > 0.9
    row = window.row
    window.press("Space")  # skip
    window.wait(f'body:not([data-row="{row}"])')
    assert row in digits_page.session.state.skipped


def test_undo_and_redo(visit, digits_page, digits):
    window, names = visit(digits_page), digits[1]
    begin(window)
    rows = []
    for _ in range(4):
        rows.append(window.row)
        window.label(KEYS[names[window.row]])
    for n in (3, 2, 1, 0):
        window.press("z")
        window.wait(f'body[data-labels="{n}"]')
    for n in (3, 2, 1, 0):  # and the classes that were added before
        window.press("z")
        window.page.wait_for_function(
            "n => document.querySelectorAll('#classes button').length === n", arg=n
        )
    window.wait('#toast:has-text("The class zero was removed.")')
    assert window.page.is_disabled("#undo")
    for n in (1, 2, 3, 4):
        window.press("Shift+Z")
        window.page.wait_for_function(
            "n => document.querySelectorAll('#classes button').length === n", arg=n
        )
    for n in (1, 2, 3, 4):
        window.press("Shift+Z")
        window.wait(f'body[data-labels="{n}"]')
    assert sorted(names_of(digits_page)) == sorted(rows)
    window.page.click("#undo")
    window.wait('body[data-labels="3"]')
    assert [event.kind for event in digits_page.session.store.read()][-1] == "undo"


def test_lasso(visit, digits_page):
    before = {row: "zero" for row in range(0, 300, 30)}
    fact = {"rows": [*before], "label": "zero", "why": "map"}
    digits_page.session.act("label", "b", "ann", **fact)
    window = visit(digits_page)
    for name in ("one", "two"):
        window.add_class(name)
    window.wait('body[data-layout="neighbors"]')
    window.page.wait_for_timeout(1500)  # the map moves
    window.page.click("#lasso")
    window.wait('#map-note:has-text("Draw around the rows")')
    window.press("Escape")
    window.wait("#lasso[aria-pressed=false]")
    box = window.page.query_selector("#points").bounding_box()
    left, top = box["x"] + 5, box["y"] + 60
    right, bottom = left + box["width"] - 10, top + box["height"] / 2
    window.page.click("#lasso")
    assert contrast(window, "#lasso") > 4.5  # the mouse is on it
    mouse = window.page.mouse
    mouse.move(left, top)
    mouse.down()
    for x, y in ((right, top), (right, bottom), (left, bottom), (left, top)):
        mouse.move(x, y, steps=5)
    mouse.up()
    window.wait("body[data-selected]:not([data-selected='0'])")
    n = int(window.fact("selected"))
    assert 20 < n < 290
    window.wait("#selection img")
    assert not window.page.is_visible("#card")
    assert not window.page.query_selector("#classes .likely-one")
    said = window.page.inner_text("#selection")
    window.press("2")
    window.wait('#toast:has-text("rows labeled one, ")')
    event = digits_page.session.store.read()[-1]
    assert (event.label, event.why, len(event.rows)) == ("one", "map", n)
    n_before = len(before.keys() & {*event.rows})
    assert 0 < n_before < 10
    assert f"{n_before} have labels, which will be replaced: zero: {n_before}" in said
    assert f"{n_before} of them relabeled" in window.page.inner_text("#toast")
    assert window.page.is_visible("#card")
    window.press("z")
    window.wait(f'#toast:has-text("the label was removed from {n - n_before} rows; ")')
    assert f"{n_before} rows have their" in window.page.inner_text("#toast")
    assert names_of(digits_page) == before
    window.press("Space")
    window.wait("#toast", state="hidden")


def test_rows_in_a_lasso_are_those_of_the_path(visit, digits_page):
    """By the canvas's own rule; polygons that cross themselves, flat edges included."""
    window = visit(digits_page)
    differing = window.page.evaluate("""async () => {
      const { pointsInside } = await import("/map.js");
      let state = 1;
      const random = () => (state = (state * 16807) % 2147483647) / 2147483647;
      const pen = document.createElement("canvas").getContext("2d");
      const plane = Float32Array.from({ length: 4000 }, () => 200 * random());
      let n = 0, total = 0;
      for (const corners of [3, 4, 9, 200]) {
        const xs = Float64Array.from({ length: corners }, () => 200 * random());
        const ys = Float64Array.from({ length: corners }, () => 200 * random());
        ys[1] = ys[0];
        const path = new Path2D();
        xs.forEach((x, i) => path.lineTo(x, ys[i]));
        path.closePath();
        const found = new Set(pointsInside(plane, xs, ys));
        for (let i = 0; i < plane.length / 2; i++) {
          const [x, y] = plane.subarray(2 * i, 2 * i + 2);
          const isIn = pen.isPointInPath(path, x, y, "evenodd");
          n += isIn !== found.has(i);
          total += isIn;
        }
      }
      return [n, total];
    }""")
    # The canvas rounds corners to float32: single points on an edge may differ.
    assert differing[0] <= 8
    assert differing[1] > 1000


def test_pan_zoom_hover_and_pick(visit, digits_page):
    window = visit(digits_page)
    begin(window)
    window.wait('body[data-layout="neighbors"]')
    window.page.wait_for_timeout(1500)
    box = window.page.query_selector("#points").bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse, before = window.page.mouse, window.row
    mouse.move(*middle)
    mouse.wheel(0, -300)
    window.page.click("#farther")
    mouse.move(*middle)
    mouse.down()
    mouse.move(middle[0] + 40, middle[1] + 30, steps=4)
    mouse.up()
    assert window.row == before  # a drag is no click
    window.page.click("#whole")
    # the places of rows are known to the server: hover over and click one of them
    plane, ratio = (
        digits_page.session.plane.tolist(),
        0.46 * min(box["width"], box["height"]),
    )
    row = max(range(300), key=lambda i: plane[i][0])  # at the edge, alone
    x, y = middle[0] + ratio * plane[row][0], middle[1] - ratio * plane[row][1]
    mouse.move(x, y)
    window.wait("#tip:not([hidden])")
    assert "Row" in window.page.inner_text("#tip")
    mouse.click(x, y)
    window.wait('#card:has-text("You chose it on the map")')


def test_naming_clusters_from_zero_labels(visit, digits_page, digits):
    window, names = visit(digits_page), digits[1]
    window.wait("#clusters[open]")
    window.page.fill("#n-classes", "4")
    window.page.click("#show-groups")
    window.wait(".group")
    groups = window.page.query_selector_all(".group")
    assert len(groups) == 8
    n_kept = 0
    for group in groups:
        buttons = group.query_selector_all(".examples button")
        rows = [int(b.get_attribute("aria-label").split()[1]) - 1 for b in buttons]
        name = names[rows[0]]
        n_kept += sum(names[row] == name for row in rows)
        for row, button in zip(rows, buttons, strict=True):
            if names[row] != name:
                button.click()  # it does not belong
        group.query_selector("input").fill(name)
    window.page.click("#use-names")
    window.wait(f'body[data-labels="{n_kept}"]')
    window.settle()
    found = names_of(digits_page)
    assert len(found) == n_kept > 30
    assert all(names[row] == label for row, label in found.items())
    predicted, _, _ = digits_page.session.predictions()
    assert np.mean(predicted == np.array(names)) > 0.9


def test_enter_goes_to_the_next_group(visit, digits_page):
    window = visit(digits_page)
    window.wait("#clusters[open]")
    window.page.keyboard.type("3")  # it replaces the number that is proposed
    assert window.page.input_value("#n-classes") == "3"
    window.press("Enter")
    window.wait("#group-5")
    assert "not the whole group" in window.page.inner_text("#clusters")
    for i in range(5):
        assert window.page.evaluate("document.activeElement.id") == f"group-{i}"
        window.page.keyboard.type("ab"[i % 2])
        window.press("Enter")
    assert window.page.evaluate("document.activeElement.id") == "group-5"
    assert window.fact("labels") == "0"
    window.press("Enter")  # in the last field
    window.wait('body[data-labels="30"]')
    assert not window.page.query_selector("#clusters[open]")

    def reopen():
        window.page.click("#tab-results")
        window.page.click("#name-groups")
        assert window.page.input_value("#n-classes") == "3"
        window.press("Tab", "Enter")
        window.wait("#group-5")
        return [window.page.input_value(f"#group-{i}") for i in range(6)]

    assert reopen() == ["a", "b", "a", "b", "a", ""]
    window.page.fill("#group-0", "c")
    window.press("Control+Enter")
    window.wait('#classes button:has-text("c")', state="attached")
    assert reopen() == ["c", "b", "a", "b", "a", ""]
    events = [e for e in digits_page.session.store.read() if e.kind == "label"]
    assert [len(event.rows) for event in events] == [6] * 6  # none was sent twice


def test_two_windows_race_for_one_row(visit, digits_page):
    first = visit(digits_page)
    begin(first)
    second = visit(digits_page, first.page.context)
    second.wait("#classes button")
    assert first.row != second.row  # they are proposed different rows
    row = first.row
    second.page.click("#tab-search")
    second.page.fill("#words", f"#{row + 1}")
    second.wait('#found:has-text("1 row")')
    second.press("Enter")
    second.wait("#hits button:focus")
    second.press("Enter")
    second.wait(f'body[data-row="{row}"]')
    first.label("1")
    with visit.tolerating("409"):
        second.press("2")
        second.wait('#toast:has-text("was changed in the meantime")')
        second.page.wait_for_timeout(200)
    assert names_of(digits_page) == {row: "zero"}
    second.wait('body[data-labels="1"]')  # what one does, the other shows


def test_a_reload_in_the_middle_loses_nothing(visit, digits_page, digits):
    window, names = visit(digits_page), digits[1]
    begin(window)
    for _ in range(3):
        window.label(KEYS[names[window.row]])
    window.page.reload()
    window.wait('body[data-ready=yes][data-labels="3"]')
    assert not window.page.query_selector("#clusters[open]")
    window.label(KEYS[names[window.row]])
    assert len(names_of(digits_page)) == 4
    assert "token" not in window.page.url


def test_review_list(visit, digits_page, digits):
    session, names = digits_page.session, list(digits[1])
    wrong = 60
    truth = names[wrong]
    names[wrong] = "one" if truth != "one" else "two"
    for row in range(0, 240, 10):
        session.act("label", f"b{row}", "ann", rows=[row], label=names[row], why="map")
    window = visit(digits_page)
    window.settle()
    window.page.click("#why summary")
    window.wait("#reasons li")
    window.page.set_viewport_size({"width": 1280, "height": 420})
    window.page.evaluate("document.querySelector('#view-label').scrollTop = 999")
    window.page.click("#tab-review")
    said = f'Labeled "{names[wrong]}"; the other labels suggest "{truth}"'
    button = f"#view-review button:has-text({json.dumps(said)})"
    line = window.wait(button)
    assert line.inner_text().startswith(f"Row {wrong + 1}\n")
    line.click()
    window.wait(f'body[data-row="{wrong}"]')
    assert window.page.evaluate("document.querySelector('#view-label').scrollTop") == 0
    assert f'suggest "{truth}" (' in window.page.inner_text("#card")
    assert window.page.inner_text("#classes .likely-one .name") == truth
    n = int(window.page.inner_text("#n-review"))
    key = window.page.inner_text(f'#classes button[data-class="{names[wrong]}"] kbd')
    window.press(key)  # keep it
    window.wait(f'#toast:has-text("Row {wrong + 1} keeps the label {names[wrong]}")')
    window.settle()
    assert window.page.inner_text("#n-review") == str(n - 1 or "")
    window.page.click("#tab-review")
    window.wait(f"#view-review:not([hidden]):not(:has-text({json.dumps(said)}))")
    window.press("z")
    window.wait(f'body[data-row="{wrong}"] #view-label:not([hidden])')
    window.wait('#card:has-text("Its earlier label is back.")')
    window.page.click(f'#classes button[data-class="{truth}"]')
    session._wait_for(lambda: session.state.labels[wrong].label == truth)
    assert session.state.labels[wrong].why == "review"


def test_a_vague_error_is_not_shown_or_shown_as_a_bound(visit, digits_page, digits):
    session = digits_page.session

    def label(rows, why):
        for row in rows:
            fact = {"rows": [row], "label": digits[1][row], "why": why}
            session.act("label", f"b{row}", "ann", **fact)

    label(range(0, 200, 10), "map")
    window = visit(digits_page)

    def read(part):
        n = len(session.state.labels)
        window.wait(f"body[data-labels='{n}']")
        window.settle()
        return window.page.inner_text(f"#quality {part}")

    for random_rows, said in (
        ([], "No label of a random row so far; 5 more are needed."),
        ([5], "1 label of random rows so far; 4 more are needed."),
        ([15, 25, 35], "4 labels of random rows so far; 1 more is needed."),
    ):
        label(random_rows, "random")
        assert read(".figure") == "not known yet"
        assert window.page.inner_text(".figure + .basis") == said
        assert not window.page.query_selector("#quality .curve")
    label([45], "random")
    said, model = read(".figure"), session.describe_model()
    bound = np.ceil(100 * (model["error"] + model["error_std"]))
    assert said == f"below {bound:.0f} %"
    said = "From 5 labels of random rows and the predicted probabilities."
    assert window.page.inner_text(".figure + .basis") == said
    assert window.page.query_selector("#quality .curve")
    label(range(55, 155, 20), "random")
    window.wait('#quality .curve[aria-label$=" 30 labels"]')
    session.act("label", "many", "ann", rows=[1, 2, 3], label="one", why="map")
    window.wait('#quality .curve[aria-label$=" 33 labels"]')
    session.act("undo", "back", "ann")
    window.wait('#quality .curve[aria-label$=" 30 labels"]')  # it does not go on
    said, model = read(".figure"), session.describe_model()
    error, std = 100 * model["error"], 100 * model["error_std"]
    assert said == f"{error:.1f} ± {std:.1f} %"
    assert "The band is" in window.page.inner_text("#quality")


def test_a_probability_is_not_rounded_to_certainty(visit, digits_page):
    window = visit(digits_page)
    said = window.page.evaluate("""async () => {
      const { probable } = await import("/dom.js");
      return [0.998, 0.99, 0.5, 0.04, 0.0099, 0].map(probable);
    }""")
    assert said == ["> 99 %", "99 %", "50 %", "4.0 %", "< 1 %", "< 1 %"]


def test_hidden_characters_are_shown(visit, digits_page):
    window = visit(digits_page)
    said = window.page.evaluate("""async () => {
      const { visible } = await import("/dom.js");
      return ["a\\u202egpj.exe", "\\u200f", " \\n", "\\u05d0\\u200f!", ""].map(visible);
    }""")
    nothing = "(no visible text)"
    assert said == ["a[RLO]gpj.exe", nothing, nothing, "\u05d0\u200f!", ""]


def test_unlabeled_points_stand_out(visit, digits_page):
    """Contrast of at least 3 with the background, in both themes."""
    window = visit(digits_page)
    begin(window, ())
    for theme in ("light", "dark"):
        if window.page.get_attribute("html", "data-theme") != theme:
            window.page.click("#theme")
        window.page.evaluate(
            """async theme => {
              const { palette } = await import("/colors.js");
              const pixel = palette(0, theme)[0];
              const parts = [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
              document.querySelector("#map").style.color = `rgb(${parts})`;
            }""",
            theme,
        )
        assert contrast(window, "#map") >= 3


def test_focus_stays_with_keys_and_not_with_the_mouse(visit, digits_page):
    window = visit(digits_page)
    begin(window, ("zero", "one"))
    for n in (1, 2):
        row = window.row
        window.page.focus('#classes button[data-class="one"]')
        window.press("Enter")
        window.wait(f'body[data-labels="{n}"]:not([data-row="{row}"])')
        focused = window.page.evaluate("document.activeElement.dataset.class")
        assert focused == "one"
    row = window.row
    window.page.click("#undo")
    window.wait(f'body[data-labels="1"]:not([data-row="{row}"])')
    row = window.row
    window.press("Space")  # it skips, and does not undo again
    window.wait(f'body:not([data-row="{row}"])')
    assert len(names_of(digits_page)) == 1


def test_a_second_opinion_is_given_without_seeing_the_first(visit, digits_page, digits):
    for row in range(0, 240, 10):
        digits_page.session.act(
            "label", f"b{row}", "bob", rows=[row], label=digits[1][row], why="map"
        )
    window = visit(digits_page)
    window.settle()
    for leave in ("click", "press"):
        window.page.click("#tab-review")
        window.page.click('#view-review button:has-text("Label rows of others")')
        window.wait("#card #stop")
        assert window.row % 10 == 0
        assert not window.page.is_visible("#why")
        assert not window.page.query_selector("#card .likely, #classes .likely-one")
        getattr(window.page, leave)(
            *(["#stop"] if leave == "click" else ["body", "Escape"])
        )
        window.wait("#card .likely")
        assert window.page.is_visible("#why")


def test_groups_of_texts(visit, tmp_path):
    lines = [f"a long line about cats and their {i} kittens" for i in range(20)]
    lines += [f"another line about dogs {i}" for i in range(20)]
    (tmp_path / "notes.txt").write_text("\n".join(lines))
    window = visit(visit.start(read_source(str(tmp_path / "notes.txt"))))
    window.wait("#clusters[open]")
    window.press("Enter")
    window.wait(".group")
    window.page.click(".group .examples button")
    check_access(window)
    window.page.fill("#group-0", "cats")
    window.press("Escape")
    window.wait('#clusters[open]:has-text("A name is not used yet.")')
    window.press("Escape")
    window.wait("#clusters:not([open])", state="attached")


def test_a_label_and_a_class_are_taken_away(visit, digits_page):
    window = visit(digits_page)
    begin(window, ("zero", "one"))
    row = window.row
    window.label("1")
    window.press("z")
    window.wait('#card:has-text("Its label was removed.")')
    window.press("Shift+Z")
    window.wait('#classes button[data-class="zero"][aria-current]')
    window.page.click("#clear")
    window.wait('body[data-labels="0"] #card:not(:has(#clear))')
    event = digits_page.session.store.read()[-1]
    assert (event.kind, event.rows, event.label) == ("label", (row,), None)
    sent = []

    def answer(route):
        sent.append(json.loads(route.request.post_data))
        route.fulfill(json={"rows": [], "place": 0})

    window.page.route("**/api/act", answer)
    window.page.click("#tab-results")
    window.page.click('#unused button:has-text("Remove one")')
    window.wait('#toast:has-text("The class one was removed.")')
    assert (sent[0]["kind"], sent[0]["label"]) == ("remove", "one")


def test_long_texts_come_first(visit, digits_page):
    window = visit(digits_page)
    names = window.page.evaluate("""async () => {
      const { sortColumns } = await import("/card.js");
      const cells = (text) => ["a", text, "c"].map((value, i) => ({ name: i, value }));
      return ["b", "b".repeat(61), "b"].map((text) =>
        sortColumns(cells(text)).map((cell) => cell.name).join(""));
    }""")
    assert names == ["012", "102", "102"]  # from then on in all rows


def test_the_reason_follows_the_certainty(visit, digits_page):
    window = visit(digits_page)
    said = window.page.evaluate("""async () => {
      const { showCard } = await import("/card.js");
      const card = { row: 0, columns: [], n_columns: 0, label: null, likely: [] };
      const place = document.createElement("div");
      return [0.89, 0.9].map((share) => {
        card.likely = [["a", share]];
        showCard(place, { card, text: "unsure", text_if_sure: "sure" }, ["a"], false);
        return place.querySelector(".reason").textContent;
      });
    }""")
    assert said == ["Row 1 · unsure", "Row 1 · sure"]


def test_why_and_full_fit_and_export(visit, digits_page, digits, tmp_path):
    session = digits_page.session
    for row in range(0, 240, 10):
        session.act(
            "label", f"b{row}", "ann", rows=[row], label=digits[1][row], why="map"
        )
    window = visit(digits_page)
    window.settle()
    window.page.click("#why summary")
    window.wait("#reasons li")
    assert window.page.query_selector_all("#reasons li")[0].inner_text()
    window.page.click("#tab-results")
    window.page.click("#fit")
    window.wait("body[data-full=done]")
    window.page.set_viewport_size({"width": 1366, "height": 768})
    report = window.wait(".report")  # nothing of it is cut off
    assert report.evaluate("part => part.scrollWidth <= part.clientWidth")
    assert len(report.query_selector_all("tr")) == 4
    assert "Rows to label next (counted from 1): " in report.inner_text()
    assert "+-" not in report.inner_text()
    said = window.page.inner_text("#view-results")
    assert "Estimated error of the full model: not known yet." in said  # as the live
    assert "primary" in window.page.get_attribute("#get-model", "class")
    old = '#view-results:has-text("Labels have changed since this fit.")'
    assert window.page.query_selector(old) is None
    window.page.click("#tab-label")
    row = window.row
    window.label(window.page.inner_text("#classes kbd"))
    window.page.click("#tab-results")
    window.wait(old)
    window.press("z")  # the same labels again, two events later
    window.wait('body[data-labels="24"]')
    window.settle()
    window.page.click("#tab-results")
    window.wait(f'body[data-row="{row}"] #fit')
    assert window.page.query_selector(old) is None
    check_access(window)
    files = {}
    for what in ("table", "history", "model"):
        with window.page.expect_download(timeout=PATIENCE) as waiting:
            window.page.click(f"#get-{what}")
        files[what] = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(files[what])
    table = pd.read_csv(files["table"])
    assert np.mean(table["prediction"] == digits[1]) > 0.9
    assert (table["source"] == "labeled").sum() == 24
    assert len(pd.read_csv(files["history"])) == 26
    assert files["model"].read_bytes().startswith(b"PK")
    window.page.click("#finish")
    window.wait('#status.done:has-text("has stopped")')
    assert digits_page.finished.is_set()


def test_a_table_goes_out_and_comes_back(visit, tmp_path):
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    frame.to_csv(tmp_path / "iris.csv", index=False)
    server = visit.start(read_source(str(tmp_path / "iris.csv"), "species"))
    window = visit(server)
    begin(window, ("setosa", "versicolor", "virginica"))
    for _ in range(9):
        window.label(str(y[window.row] + 1))
    window.settle()
    assert window.page.query_selector_all("#card .columns tr")
    window.page.click("#tab-results")
    with window.page.expect_download(timeout=PATIENCE) as waiting:
        window.page.click("#get-table")
    path = tmp_path / "again.csv"
    waiting.value.save_as(path)
    again = visit.start(read_source(str(path), "species"), "again.sqlite")
    window = visit(again)
    window.wait('body[data-labels="9"]')
    assert names_of(again) == names_of(server)


def is_harmless(window):
    """No markup of the data became an element."""
    return window.page.evaluate(
        "() => !document.querySelector('body script, img[src=x], iframe')"
    )


def test_hostile_tables(visit, tmp_path, rng):
    frame = pd.DataFrame({HOSTILE: rng.normal(size=30), "n": rng.normal(size=30)})
    frame["name"] = [HOSTILE, "b", "c"] * 10
    frame["long"] = ["word " * 2_000_000, *["short text of four"] * 29]  # 10 MB
    frame.to_csv(tmp_path / "t.csv", index=False)
    source = read_source(str(tmp_path / "t.csv"), "kind")
    window = visit(visit.start(source))
    begin(window, (HOSTILE, "=1+1"))
    for words in ("script", "alert", "word"):
        window.page.click("#tab-search")
        window.page.fill("#words", words)
        window.wait("#hits button")
        window.page.click("#hits button")
        window.wait("#card .columns")
        assert is_harmless(window)
    window.page.click("#tab-search")
    window.page.fill("#words", "#1")
    window.wait('#found:has-text("1 row")')
    window.page.click("#hits button")
    window.wait('body[data-row="0"]')
    assert HOSTILE in window.page.inner_text("#card")
    window.press("1")
    window.wait('body[data-labels="1"]')
    assert is_harmless(window)
    window.page.click("#tab-results")
    assert is_harmless(window)


def test_hostile_texts(visit, tmp_path):
    lines = [f"{HOSTILE} text number {i} about cats" for i in range(20)]
    lines += [f"another line about dogs {i}" for i in range(20)]
    lines.append("long " * 200_000)
    (tmp_path / "notes.txt").write_text("\n".join(lines))
    window = visit(visit.start(read_source(str(tmp_path / "notes.txt"))))
    begin(window, ("cats", "dogs"))
    for _ in range(6):
        window.label("1" if window.row < 20 else "2")
    window.settle()
    window.page.click("#tab-search")
    window.page.fill("#words", "number 3")
    window.wait('#found:has-text("20 rows")')  # "3" is in all of them
    window.page.click("#hits button")
    window.wait('#card .words:has-text("about cats")')
    assert HOSTILE in window.page.inner_text("#card .words")
    assert is_harmless(window)
    window.page.click("#tab-search")
    window.page.fill("#words", "#41")
    window.wait('#found:has-text("1 row")')
    window.page.click("#hits button")
    window.wait('#card:has-text("more characters")')


def test_images_broken_ones_included(visit, tmp_path):
    folder = tmp_path / "photos"
    folder.mkdir()
    for i in range(20):
        Image.new("RGB", (60, 40), (12 * i, 200, 255 - 12 * i)).save(
            folder / f"{i:02}.png"
        )
    (folder / "broken.png").write_bytes(b"<script>alert(1)</script>")
    Image.new("RGB", (5, 5)).save(folder / "<img src=x onerror=alert(4)>.png")
    source = read_source(str(folder))
    window = visit(visit.start(source))
    begin(window, ("blue", "green"))
    window.wait("#card .picture img")
    row = source.frame["file"].tolist().index("broken.png")
    window.page.click("#tab-search")
    window.page.fill("#words", f"#{row + 1}")
    window.wait('#found:has-text("1 row")')
    window.page.click("#hits button")
    window.wait('#card:has-text("cannot be read as an image")')
    with visit.tolerating("400 (Bad Request)"):
        window.press("1")
        window.wait('#toast:has-text("so that the row cannot be labeled")')
    assert window.fact("labels") == "0"
    assert is_harmless(window)


def check_access(window):
    """axe-core finds nothing to complain about."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(window.page)
    assert not found.response["violations"], found.generate_report()
    assert found.response["passes"]


def test_everybody_can_use_it(visit, digits_page, digits):
    for row in range(0, 240, 10):
        digits_page.session.act(
            "label", f"b{row}", "ann", rows=[row], label=digits[1][row], why="map"
        )
    window = visit(digits_page)
    window.settle()
    window.page.click("#why summary")
    window.wait("#reasons li")
    for theme in ("light", "dark"):
        if window.page.get_attribute("html", "data-theme") != theme:
            window.page.click("#theme")
        for view in ("review", "search", "results", "label"):
            window.page.click(f"#tab-{view}")
            window.wait(f"#view-{view}:not([hidden])")
            check_access(window)
    window.page.click("#help")
    check_access(window)
    window.press("Escape")
    window.page.click("#tab-results")
    window.page.click("#name-groups")
    window.page.click("#show-groups")
    window.wait(".group")
    check_access(window)


def test_a_wide_table_leaves_buttons_and_error_in_view(visit, digits):
    X, names = digits
    y = [name if row % 10 == 0 else None for row, name in enumerate(names)]
    columns = [f"pixel {i}" for i in range(X.shape[1])]
    window = visit(visit.start(from_arrays(pd.DataFrame(X, columns=columns), y)))
    window.settle()
    for width, height in ((1366, 768), (1280, 800), (800, 700), (800, 1100)):
        window.page.set_viewport_size({"width": width, "height": height})
        assert window.page.evaluate(
            "() => document.documentElement.scrollHeight <= window.innerHeight"
        )
        for part in ("#card .likely", "#classes", "#skip", "#quality .figure"):
            window.wait(part)
            bottom = window.page.evaluate(
                "part => document.querySelector(part).getBoundingClientRect().bottom",
                part,
            )
            assert bottom <= height, (part, width)
        chart = window.page.query_selector("#quality .curve").bounding_box()
        assert chart["width"] <= 400 * 1.05  # its text is as large as the rest
        if (width, height) == (1280, 800):
            assert chart["y"] + chart["height"] <= height
    window.page.focus("#card .list")
    window.press("End")
    window.page.wait_for_function(
        "() => document.querySelector('#card .list').scrollTop > 100"
    )
    check_access(window)


def test_themes_and_narrow_windows(visit, digits_page):
    window = visit(
        digits_page, color_scheme="dark", viewport={"width": 400, "height": 800}
    )
    assert window.page.get_attribute("html", "data-theme") == "dark"
    begin(window)
    assert window.page.evaluate(
        "() => document.documentElement.scrollWidth <= window.innerWidth"
    )
    window.label("1")
    dark = window.page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    window.page.click("#theme")
    light = window.page.evaluate(
        "() => getComputedStyle(document.body).backgroundColor"
    )
    assert dark != light
    window.page.reload()
    window.wait("body[data-ready=yes]")
    assert window.page.get_attribute("html", "data-theme") == "light"  # it is kept
    window.page.set_viewport_size({"width": 820, "height": 1100})  # a tablet
    assert window.page.evaluate(
        "() => document.documentElement.scrollWidth <= window.innerWidth"
    )


def test_a_link_works_once(visit, digits_page, browser):
    url = digits_page.url
    first = visit(digits_page)
    page = first.page.context.new_page()
    page.goto(url)
    page.wait_for_selector("body[data-ready=yes]", timeout=PATIENCE)
    other = browser.new_context()
    page = other.new_page()
    page.goto(url)
    page.wait_for_selector("#login[open]", timeout=PATIENCE)
    assert page.get_attribute("body", "data-ready") == "no"
    said = page.inner_text("#login-text")
    assert "Each link works once" in said
    assert '"Link for another browser" in the Results tab' in said
    page.fill("#password", digits_page.url)  # a new link
    page.press("#password", "Enter")
    page.wait_for_selector("body[data-ready=yes]", timeout=PATIENCE)
    other.close()


def test_what_has_no_effect_is_said(visit, digits_page):
    window = visit(digits_page)
    begin(window, ("zero", "one"))
    window.press("7")
    window.wait('#toast:has-text("No class has the key 7. Press + to add a class.")')
    window.press("+")
    window.wait("#class-name:focus")
    window.page.keyboard.type("one")
    window.press("Enter")
    window.wait('#toast:has-text("There is already a class one (key 2).")')
    window.press("+")
    window.page.keyboard.type("a\u202e")
    with visit.tolerating("400"):
        window.press("Enter")
        window.wait('#toast:has-text("control characters")')
    assert window.page.input_value("#class-name") == "a\u202e"  # to be corrected
    window.press("Escape")
    window.page.evaluate("""() => {
      for (const key of "12") {
        const event = new KeyboardEvent("keydown", { key, bubbles: true });
        document.body.dispatchEvent(event);
      }
    }""")
    window.wait('#toast:has-text("That was too quick")')
    window.wait('body[data-labels="1"]')
    assert [*names_of(digits_page).values()] == ["zero"]
    assert digits_page.session.state.classes == ("zero", "one")


def test_a_run_of_expected_labels_is_said(visit, digits_page):
    window = visit(digits_page)
    said = window.page.evaluate("""async () => {
      const { showQuality } = await import("/panels.js");
      const model = { status: "ready", error: null, curve: [] };
      return [9, 10].map((streak) => {
        showQuality(model, { classes: ["a", "b"] }, streak);
        return document.querySelector("#quality").textContent;
      });
    }""")
    assert ["The last 10 proposed rows had" in text for text in said] == [False, True]


COMMAND = "label digits.npz --target kind --no-browser --labels l.sqlite --port"


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_the_page_goes_on_after_a_kill(browser, tmp_path, monkeypatch):
    """The same command is started again, and the open page finds it by itself."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    X, _ = load_digits(return_X_y=True)
    np.savez("digits.npz", X=X[:200])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def start():
        process = subprocess.Popen(
            [sys.executable, "-u", "-m", "widemargin", *COMMAND.split(), str(port)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for line in process.stdout:
            if "The page is at" in line:
                return process, line.split()[-1]
        raise AssertionError("the command ended")

    process, url = start()
    context = browser.new_context()
    window = Window(context.new_page())
    window.page.goto(url)
    window.wait("body[data-ready=yes][data-place]")
    begin(window, ("a", "b"))
    for n in range(1, 4):
        window.label("a")
        process.kill()
        process.communicate()
        window.wait("body[data-online=no]")
        row = window.row
        window.press("b")  # nobody answers; the page sends it again
        process, _ = start()
        window.wait("body[data-online=yes]")
        window.wait(f'body[data-labels="{2 * n}"]')
        window.wait(f'body:not([data-row="{row}"])')
    process.kill()
    process.communicate()
    labels = [event.label for event in read_store("l.sqlite")[0].labels.values()]
    assert sorted(labels) == ["a"] * 3 + ["b"] * 3
    context.close()


def test_a_page_from_python(visit, rng):
    """Rows without images or texts show their columns."""
    window = visit(visit.start(from_arrays(rng.normal(size=(40, 150)))))
    begin(window, ("x",))
    assert "of 100 columns" in window.page.inner_text("#card")
    window.page.click("#tab-results")
    text = window.page.inner_text("#view-results")
    assert "40 rows from Python." in text
    assert window.page.is_disabled("#fit")
    assert "Label rows of two classes first." in text


def test_a_key_counts_at_once_after_a_dialog_was_closed(visit, digits_page):
    """The field of a hidden dialog may still have the focus when the key comes."""
    window = visit(digits_page)
    window.wait("#clusters[open]")
    focused = window.page.evaluate(
        """() => {
            const press = (target, key) => target.dispatchEvent(
                new KeyboardEvent("keydown", { key, bubbles: true }));
            const field = document.getElementById("n-classes");
            field.focus();
            document.getElementById("clusters").close();
            press(field, "+");
            return document.activeElement.id;
        }"""
    )
    assert focused == "class-name"
