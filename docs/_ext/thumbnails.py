"""Thumbnails of the gallery that can be read: one panel of a figure, not all of it.

sphinx-gallery shrinks whole figures, whose panels are then too small to see.
"""

from pathlib import Path

from PIL import Image

# By example: the number of the figure, and the part of it that is shown, as shares of
# its width and height (left, top, right, bottom).
PARTS = {
    "plot_clock": (1, (0.615, 0, 0.9, 1)),
    "plot_cross_validation": (1, (0, 0.12, 0.5, 0.86)),
    "plot_early_stopping": (2, (0, 0, 1, 1)),
    "plot_few_labels": (2, (0, 0, 1, 1)),
    "plot_graph_weights": (2, (0.6, 0, 0.9, 1)),
    "plot_irrelevant_rows": (1, (0.615, 0, 0.89, 1)),
    "plot_label_search": (1, (0.46, 0, 0.87, 1)),
    "plot_low_density_boundary": (1, (0, 0, 1, 1)),
    "plot_margin_clustering": (1, (0, 0.49, 0.66, 1)),
    "plot_refitting": (2, (0.665, 0, 1, 1)),
    "plot_rotated_digits": (1, (0, 0, 1, 1)),
    "plot_shaking": (1, (0.675, 0.49, 0.895, 1)),
    "plot_spectral": (1, (0.692, 0, 0.9, 0.5)),
    "plot_tables": (2, (0, 0, 1, 1)),
    "plot_text": (1, (0, 0, 0.44, 1)),
    "plot_two_moons": (1, (0.47, 0, 0.865, 1)),
    "plot_uncertainty": (1, (0.47, 0, 0.865, 1)),
}
SIZE = (640, 480)


def make_thumbnail(figure, part):
    """A part of a figure on a white ground of the size of thumbnails."""
    picture = Image.open(figure).convert("RGB")
    sides = picture.size * 2
    picture = picture.crop([round(a * b) for a, b in zip(part, sides, strict=True)])
    scale = min(a / b for a, b in zip(SIZE, picture.size, strict=True))
    picture = picture.resize(
        [round(scale * side) for side in picture.size], Image.Resampling.LANCZOS
    )
    ground = Image.new("RGB", SIZE, "white")
    ground.paste(
        picture, [(a - b) // 2 for a, b in zip(SIZE, picture.size, strict=True)]
    )
    return ground


def replace_thumbnails(app):
    """Write the thumbnails in the place of those of sphinx-gallery."""
    images = Path(app.srcdir) / "auto_examples" / "images"
    examples = {path.stem for path in (Path(app.srcdir) / "../examples").glob("*.py")}
    if examples != set(PARTS):
        odd = ", ".join(sorted(examples ^ set(PARTS)))
        raise ValueError(f"thumbnails.PARTS and the examples differ: {odd}")
    for name, (number, part) in PARTS.items():
        figure = images / f"sphx_glr_{name}_{number:03d}_2_00x.png"
        if figure.exists():
            thumbnail = make_thumbnail(figure, part)
            thumbnail.save(images / "thumb" / f"sphx_glr_{name}_thumb.png")


def setup(app):
    app.connect("builder-inited", replace_thumbnails, priority=900)  # after the gallery
    return {"parallel_read_safe": True, "parallel_write_safe": True}
