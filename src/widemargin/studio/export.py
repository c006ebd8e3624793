"""Files that the page exports: the labeled table, the history, the model."""

import numpy as np
import pandas as pd

from widemargin.tables.files import table_bytes


def labeled_table(session):
    """All columns of the source, label, prediction, its probability, and source."""
    source, state = session.source, session.state
    predicted, certainty, _ = session.predictions()
    labels = [None] * source.n_rows
    sources = ["inferred" if name is not None else "" for name in predicted]
    for row, event in state.labels.items():
        labels[row] = event.label
        sources[row] = "given" if event.why == "given" else "labeled"
    frame = pd.DataFrame(index=range(source.n_rows))
    if source.frame is not None:
        frame = source.frame.copy()
    frame[source.target] = _column(source, labels)
    columns = {
        "prediction": _column(source, predicted),
        "probability": np.where(
            [name is None for name in predicted], np.nan, np.round(certainty, 6)
        ),
        "source": sources,
    }
    for name, column in columns.items():
        while name in frame:
            name = f"predicted {name}"
        frame[name] = column
    return frame


def _column(source, names):
    """Classes as the source writes them; whole numbers stay so beside empty cells."""
    known = [name for name in dict.fromkeys(names) if name is not None]
    values = dict(zip(known, source.original(known), strict=True))
    is_whole = {type(value) for value in values.values()} == {int}
    cells = [values.get(name) for name in names]
    return pd.array(cells, dtype="Int64") if is_whole else cells


def history_table(session):
    """A line for each event and row."""
    lines = [
        {
            "event": event.place,
            "at": event.at,
            "who": event.who,
            "action": event.kind,
            "row": None if row is None else row + 1,
            "label": event.label,
            "why": event.why,
            "batch": event.batch,
            "undoes": event.target,
        }
        for event in session.store.read()
        for row in event.rows or (None,)
    ]
    columns = ["event", "at", "who", "action", "row", "label", "why", "batch", "undoes"]
    frame = pd.DataFrame(lines, columns=columns)
    frame["row"] = frame["row"].astype("Int64")
    return frame


def export_bytes(session, what):
    """Bytes of a file and the ending of its name: "table", "history" or "model"."""
    if what == "model":
        import os
        import tempfile

        from widemargin.model_files import save

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.wm")
            save(session.read_full_model(), path)
            with open(path, "rb") as file:
                return file.read(), ".wm"
    frame = labeled_table(session) if what == "table" else history_table(session)
    ending = {"table": "-labeled.csv", "history": "-history.csv"}[what]
    frame.columns = [str(name) for name in frame]
    return table_bytes(frame, guarded=list(frame)), ending
