import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from widemargin import TableEncoder, load
from widemargin.cli.profiles import (
    describe_profiles,
    find_single_column,
    profile_clusters,
)

CLUSTER = "cluster", "few.csv", "-k", 3, "--drop", "species"


@pytest.fixture(autouse=True)
def few(folder, iris):
    """Every third flower."""
    iris[::3].to_csv("few.csv", index=False)


def test_cluster_finds_groups_and_saves_a_model(done, truth):
    result = done(*CLUSTER)
    assert "species (by --drop)" in result.stdout
    found = pd.read_csv("few-clusters.csv")
    assert list(found)[-1] == "cluster"
    assert adjusted_rand_score(truth[::3], found["cluster"]) > 0.5
    labels = done("predict", "few-clusters.wm", "iris.csv").stdout
    assert labels.splitlines()[0].endswith(",cluster")


def test_json(done):
    outcome = json.loads(done(*CLUSTER, "--json").stdout)
    assert sum(outcome["clusters"].values()) == 50
    assert outcome["predictions"] == "few-clusters.csv"
    assert (
        json.loads(done("inspect", outcome["model"], "--json").stdout)["clusters"] == 3
    )


def test_parameters_can_be_set(done, refused):
    done(*CLUSTER, "--method", "margin", "--set", "ambient_reg=0.5")
    assert load("few-clusters.wm")[-1].ambient_reg == 0.5
    message = refused(*CLUSTER, "--force", "--set", "ambient=1")
    assert (
        "MaxMarginClustering has no such parameter; did you mean 'ambient_" in message
    )
    message = refused(*CLUSTER, "--force", "--method", "laplacian")
    assert "--method 'laplacian' is not one of margin." in message


def test_outliers_are_left_out(done):
    """They are -1 in the predictions, of `cluster` and of `predict`."""
    setting = "--set", "outliers=0.2", "--set", "ambient_reg=0.5"
    outcome = json.loads(done(*CLUSTER, *setting, "--json").stdout)
    assert 8 <= outcome["clusters"]["-1"] <= 10
    assert sum(outcome["clusters"].values()) == 50
    found = pd.read_csv(outcome["predictions"])["cluster"]
    assert (found == -1).sum() == outcome["clusters"]["-1"]
    done("predict", outcome["model"], "few.csv", "--out", "again.csv")
    assert (pd.read_csv("again.csv")["cluster"] == -1).equals(found == -1)


def test_outliers_are_no_cluster_in_the_report(done):
    setting = "--set", "outliers=0.2", "--set", "ambient_reg=0.5"
    printed = done(*CLUSTER, *setting).stdout.replace("\xa0", " ")
    assert " -1 (" not in printed
    n_outside = (pd.read_csv("few-clusters.csv")["cluster"] == -1).sum()
    assert f"no cluster ({n_outside})" in printed
    printed = done(*CLUSTER, "--force", "--set", "ambient_reg=0.5").stdout
    assert "no cluster" not in printed.replace("\xa0", " ")


def test_more_clusters_than_rows(refused):
    message = refused("cluster", "iris.csv", "-k", 200)
    assert "-k must be at most the number of rows of iris.csv, 150, got 200." in message


def test_clusters_take_no_target(refused):
    message = refused("cluster", "iris.csv", "-k", 3, "--target", "species")
    assert "no option --target" in message
    assert "--drop 'species'" in message


def test_one_cluster(refused):
    assert "whole number from 2 on" in refused("cluster", "iris.csv", "-k", 1)


@pytest.mark.slow
def test_the_number_of_clusters_can_be_chosen(done, refused):
    outcome = json.loads(
        done("cluster", "few.csv", "-k", "auto", "--drop", "species", "--json").stdout
    )
    model = load(outcome["model"])[-1]
    assert len(outcome["clusters"]) == model.n_clusters_ == model.number_choice_.chosen
    shown = json.loads(done("inspect", outcome["model"], "--json").stdout)
    assert shown["clusters"] == model.n_clusters_
    words = "cluster", "few.csv", "-k", "auto", "--drop", "species", "--force"
    assert f"clusters     {model.n_clusters_} (chosen from " in done(*words).stdout
    assert "or auto, got 'many'" in refused("cluster", "iris.csv", "-k", "many")


@pytest.fixture
def mixed():
    """Three groups in two columns, dates and remarks that agree, and a random color."""
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1, 2], 40)
    days = pd.Timestamp("2024-03-01") + pd.to_timedelta(200 * (group == 2), unit="D")
    table = pd.DataFrame(
        {
            "width": 5000 * (group == 1) + 300 * rng.normal(size=120),
            "height": [0.0, 0.0, 7.0] @ np.eye(3)[group].T + rng.normal(size=120),
            "color": rng.choice(["red", "blue"], 120),
            "built": (days + pd.to_timedelta(rng.integers(0, 9, 120), unit="D")),
        }
    )
    table.loc[3, "width"] = None
    table.to_csv("mixed.csv", index=False)
    return group


@pytest.mark.usefixtures("mixed")
def test_the_report_says_what_separates_clusters(done):
    printed = done("cluster", "mixed.csv", "-k", 3, "--seed", 0).stdout
    lines = printed.replace("\xa0", " ").splitlines()
    first = lines.index("profiles     mean or share in the cluster (and in all rows):")
    profiles = " ".join(line.strip() for line in lines[first + 1 : first + 6])
    assert profiles.count("40 rows: ") == 3
    assert "built 2024-09-" in profiles
    assert "color" not in profiles
    assert "--drop" not in printed
    outcome = done("cluster", "mixed.csv", "-k", 3, "--force", "--json").stdout
    found = json.loads(outcome)["profiles"]
    assert [line["rows"] for line in found] == [40, 40, 40]
    high = max(found, key=lambda line: line["columns"][0].get("in_cluster", 0) == 0)
    table = pd.read_csv("mixed.csv")
    labels = pd.read_csv("mixed-clusters.csv")["cluster"]
    for column in high["columns"]:
        if column["column"] == "height":
            own = table["height"][labels == high["cluster"]].mean()
            assert column["in_cluster"] == pytest.approx(own)
            assert column["in_all"] == pytest.approx(table["height"].mean())


def test_a_note_names_the_column_that_clusters_equal(done):
    rng = np.random.default_rng(0)
    soil, y = rng.choice(["dry loam", "sand"], 200), rng.normal(size=(200, 2))
    table = pd.DataFrame({"x": y[:, 0], "the soil": soil, "z": y[:, 1]})
    table["x"] += 9.0 * (soil == "sand")
    table.to_csv("soil.csv", index=False)
    note = "the clusters equal the values of 'the soil'; to look for others, add"
    printed = done("cluster", "soil.csv", "-k", 2).stdout
    words = " ".join(printed.replace("\xa0", " ").split())
    assert f"{note} --drop 'the soil'" in words
    assert "the soil 'sand' 100% (" in words
    outcome = done("cluster", "soil.csv", "-k", 2, "--force", "--json").stdout
    assert note in json.loads(outcome)["notes"][-1]


def make_encoder(frame):
    return TableEncoder().fit(frame)


def test_clusters_that_are_groups_of_values_or_nearly_the_values():
    values, numbers = np.repeat(list("abcd"), 50), np.tile(np.arange(50.0) / 7, 4)
    frame = pd.DataFrame({"x": numbers, "plan": values, "level": [1, 2] * 100})
    encoder = make_encoder(frame)
    codes = pd.factorize(frame["plan"])[0]

    def note(labels):
        return find_single_column(encoder, frame, labels)

    assert "equal the values of 'plan'" in note(codes)
    assert "groups of values of 'plan'" in note(codes // 2)
    assert "equal the values of 'level'" in note(frame["level"].to_numpy() - 1)
    off = np.where(np.arange(200) % 20 == 0, (codes + 1) % 4, codes)
    assert "nearly equal the values of 'plan'" in note(off)
    assert note(np.where(np.arange(200) % 3 == 0, 0, codes)) is None
    assert note((numbers > 3).astype(int)) is None
    assert note(np.zeros(200, dtype=int)) is None
    assert note((np.arange(200) % 20 == 0).astype(int)) is None  # 5 % of the rows
    assert "equal the values of 'plan'" in note(np.where(codes == 3, -1, codes))


def test_a_long_word_keeps_its_beginning():
    long = "Donaudampfschifffahrtsgesellschaft"
    frame = pd.DataFrame({"x": np.arange(60) % 7, "firm": [long] * 30 + ["other"] * 30})
    profiles = profile_clusters(make_encoder(frame), frame, np.repeat([0, 1], 30))
    assert "'Donaudampfschifffahrts" in str(list(describe_profiles(profiles)))


def test_profiles_of_words_and_of_many_clusters():
    texts = [f"the invoice number {i} is wrong" for i in range(30)]
    texts += [f"my parcel number {i} never came" for i in range(30)]
    frame = pd.DataFrame({"text": texts, "x": np.arange(60) % 7 + 0.5})
    encoder, labels = make_encoder(frame), np.repeat([0, 1], 30)
    first, second = profile_clusters(encoder, frame, labels)
    assert first["columns"][0]["column"] == "text"
    assert first["columns"][0]["in_all"] == pytest.approx(0.5)
    assert second["columns"][0]["column"] == "text"
    many = profile_clusters(encoder, frame, np.arange(60) // 4)
    assert list(describe_profiles(many))[-1] == ("", "and 3 more clusters")
    assert list(describe_profiles(many[:1])) == []
