"""Where the sets that do not come with the package are from."""

SOURCES = {
    "coil20": "COIL-20, Columbia University: images reduced to 32 x 32 pixels",
    "coil20_400": "COIL-20, Columbia University: images reduced to 20 x 20 pixels",
    "facemit": "CBCL Face Database 1, MIT",
    "g50c": "Chapelle and Zien, Semi-supervised classification by low density "
    "separation",
    "ionosphere": "UCI ionosphere; OpenML 59",
    "iris": "UCI iris; OpenML 61",
    "letter": "UCI letter recognition; OpenML 6",
    "mnist": "MNIST, LeCun, Cortes and Burges; OpenML 554",
    "pcmac": "Chapelle and Zien, set text1: two groups of 20 newsgroups as TF-IDF",
    "pima": "UCI Pima Indians diabetes; OpenML 37",
    "ringnorm": "Delve, standardized as in the IDA repository; OpenML 1496 is not",
    "splice": "UCI splice junctions, coded 1 to 4 as in LIBSVM; OpenML 46 has letters",
    "thyroid": "UCI thyroid disease, file new-thyroid",
    "usps": "USPS, zip.train and zip.test of The Elements of Statistical Learning; "
    "OpenML 41082",
    "uspst": "Chapelle and Zien: the test part of USPS, rounded",
    "waveform": "UCI waveform, version 1 (21 features)",
}


def explain_missing(names):
    """Sentences that say what is missing and where it comes from."""
    lines = [
        f"Not here: {', '.join(names)}. Set the environment variable WIDEMARGIN_DATA "
        "to a folder with one archive <name>.npz each (y and X; see load_benchmark). "
        "They come from:",
        *(f"  {name}: {SOURCES.get(name, 'unknown')}" for name in names),
    ]
    return "\n".join(lines)
