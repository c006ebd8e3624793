"""
How unlabeled texts help with words outside the labeled texts
=============================================================

This example uses a pipeline of
:class:`~sklearn.feature_extraction.text.TfidfVectorizer` and
:class:`~widemargin.TransductiveSVC`, which accepts sparse rows. With few labeled texts,
most words occur in none of them, so a supervised model cannot use these words. The
unlabeled texts show which words occur together.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from widemargin import TransductiveSVC
from widemargin.datasets import hide_labels
from widemargin.labels import labeled_mask
from widemargin.plots import TransductionDisplay

# %%
# The corpus is generated. Each text has three words of its topic and three common
# words; in some texts, the last one is a stray word of the other topic.
vocabulary = {
    "garden": "seed soil rose prune compost weed shovel bloom tulip hedge lawn sow "
    "root mulch fern orchard pear graft bulb trellis",
    "sea": "tide sail anchor harbor wave reef gull buoy mast keel net cod storm deck "
    "rudder shoal captain voyage pier lagoon",
    "common": "morning old small we they saw found near after before good long cold "
    "light day water wind house work time",
}
topics = {name: words.split() for name, words in vocabulary.items()}
common = topics.pop("common")


def make_texts(n_texts, stray):
    """Texts with a stray word in this share of them, and their topics."""
    rng = np.random.default_rng(0)
    texts, y = [], []
    for _ in range(n_texts):
        topic, other = rng.permutation(list(topics))
        words = [*rng.choice(topics[topic], 3), *rng.choice(common, 3)]
        if rng.random() < stray:
            words[-1] = rng.choice(topics[other])
        texts.append(" ".join(rng.permutation(words)))
        y.append(topic)
    return np.array(texts), np.array(y, dtype=object)


texts, y = make_texts(400, stray=0.5)
y_partial = hide_labels(y, 6, rng=0)  # None marks an unlabeled text
labeled = labeled_mask(y_partial)
for text, label in zip(texts[labeled], y[labeled], strict=True):
    print(f"{label}: {text}")

# %%
# With a stray word in half of the texts (left), all texts get the right topic. With a
# stray word in nine of ten texts (right), the unlabeled texts no longer form two
# clusters and do not help. The margins show the difference: no text is near zero on the
# left, but many are on the right. Check the margins before you rely on the result.
figure, axes = plt.subplots(1, 2, figsize=(11, 3.8), layout="constrained")
for ax, stray in zip(axes, [0.5, 0.9], strict=True):
    texts, y = make_texts(400, stray)
    y_partial = hide_labels(y, 6, rng=0)
    labeled = labeled_mask(y_partial)
    supervised = make_pipeline(TfidfVectorizer(), SVC(kernel="linear", C=10))
    supervised.fit(texts[labeled], y[labeled])
    model = make_pipeline(TfidfVectorizer(), TransductiveSVC(kernel="linear", C=10))
    model.fit(texts, y_partial)
    display = TransductionDisplay.from_estimator(
        model, texts, y_partial, y_true=y, ax=ax
    )
    alone = (supervised.predict(texts) != y)[~labeled].mean()
    ax.set_title(f"{display.wrong.mean():.0%} wrong; labels alone: {alone:.0%}")
    if stray == 0.5:
        tidy, seen = model, set(" ".join(texts[labeled]).split())
plt.show()

# %%
# A single word is also a text, so the model gives each word a score. The figure shows
# the words of the first corpus; those that occur in no labeled text are gray.
words = np.array(topics["garden"] + topics["sea"])
scores = tidy.decision_function(words)
order = np.argsort(scores)
words, scores = words[order], scores[order]

figure, ax = plt.subplots(figsize=(7, 7), layout="constrained")
for (name, own), color in zip(topics.items(), ["#0072B2", "#D55E00"], strict=True):
    place = np.flatnonzero(np.isin(words, own))
    ax.barh(place, scores[place], color=color, label=name)
ax.set_yticks(range(len(words)), words, fontsize=8)
for tick, word in zip(ax.get_yticklabels(), words, strict=True):
    tick.set_color("black" if word in seen else "0.5")
right = ((scores > 0) == np.isin(words, topics["sea"])).mean()
ax.set(xlabel="score", title=f"{right:.0%} of the words are on the side of their topic")
ax.axvline(0, color="black", linewidth=1)
ax.legend(title="true topic", frameon=False, loc="lower right")
ax.spines[["top", "right"]].set_visible(False)
plt.show()
