"""
How to fill in the missing class names of a table
=================================================

A pandas table has missing cells, columns in different units, and a column of class
names, most of which are missing. This example fills in the missing names, adds a
probability to each, and writes a model file for the next table.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_wine
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import widemargin
from widemargin import LaplacianSVC
from widemargin.plots import DecisionDisplay, TransductionDisplay

# %%
# The data are the wines of three growers, made as untidy as real tables: one cell in
# twenty is empty, the color is a category, and only fifteen rows have a grower.
rng = np.random.default_rng(0)
wine = load_wine(as_frame=True)
table = wine.data.mask(rng.random(wine.data.shape) < 0.05)
table["color"] = pd.cut(table.pop("color_intensity"), 3, labels=["pale", "red", "dark"])
growers = pd.Series(np.array(["Abel", "Bruno", "Carla"])[wine.target], name="grower")
known = growers.groupby(growers).sample(5, random_state=0).index
table["grower"] = growers.where(growers.index.isin(known))
print(table.iloc[known[:3]].T)

# %%
# Missing names (None, NaN or NA) are unlabeled rows. All preprocessing is part of the
# pipeline, so new tables are preprocessed in the same way.
X, y = table.drop(columns="grower"), table["grower"]
numeric = X.select_dtypes("number").columns.tolist()
model = make_pipeline(
    make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), numeric),
        (OneHotEncoder(handle_unknown="ignore"), ["color"]),
    ),
    LaplacianSVC(),
)
model.fit(X, y)

# %%
# This is the table with all names. Given names are kept.
chances = model.predict_proba(X)
result = table.assign(
    grower=model[-1].transduction_, probability=chances.max(axis=1), given=y.notna()
)
print(result[["alcohol", "color", "grower", "probability", "given"]].head(8).round(2))
print(pd.crosstab(result["grower"], growers.rename("true grower")))

# %%
# How reliable are the probabilities? In this figure, rows are sorted by margin, and
# wrong ones are marked.
display = TransductionDisplay.from_estimator(model, X, y, y_true=growers)
unlabeled = result[~result["given"]]
uncertain = unlabeled["probability"] < 0.8
wrong = unlabeled["grower"] != growers[unlabeled.index]
display.ax_.set_title(
    f"{wrong.sum()} of {len(unlabeled)} wrong, "
    f"{(wrong & uncertain).sum()} of them among the {uncertain.sum()} least certain"
)
plt.show()

# %%
# You can also get the numbers behind a display as a table.
print(display.frame().tail(3))

# %%
# This figure shows the rows in the plane of their two principal components after
# preprocessing.
display = DecisionDisplay.from_estimator(model, X, y)
display.ax_.set_title("Three growers, five known wines each")
plt.show()

# %%
# Save the model for the next table. The file contains no code; ``privacy_`` describes
# the data in it.
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "growers.widemargin"
    widemargin.save(model, path)
    loaded = widemargin.load(path)
print(loaded.predict(X.sample(4, random_state=0)))
print(loaded.privacy_)
