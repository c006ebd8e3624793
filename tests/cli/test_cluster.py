import json

import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from widemargin import load

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
