"""A page to label rows on, with a model of all rows that learns at every key press."""


def label(
    X=None,
    y=None,
    *,
    images=None,
    texts=None,
    store=None,
    name=None,
    port=None,
    open_browser=True,
):
    """Label rows on a page in the browser, and return the labels.

    The page shows all rows on a map. A model learns each label at once and predicts all
    other rows; the page proposes rows to label, estimates the error, and lists labels
    to look at again. It needs ``pip install '.[label]'`` in a clone of widemargin. The
    function returns when "Done" is pressed on the page, or after an interrupt (Ctrl-C).

    Parameters
    ----------
    X : array-like, sparse matrix or DataFrame, (n_samples, n_features), optional
        The features of the rows. By default they are computed from the images
        (principal components of the pixels) or texts (TF-IDF).
    y : array-like of shape (n_samples,), optional
        Known labels, with -1, NaN or None for the other rows. They count as labels of
        random rows when the error is estimated.
    images : array of shape (n_samples, height, width[, 3]) or list of files, optional
        What the page shows of each row.
    texts : sequence of str, optional
        What the page shows of each row.
    store : str, optional
        File that stores the labels. Every label is stored before the page answers. By
        default it is named after a hash of the rows, so that the same call on the same
        rows continues where it stopped.
    name : str, optional
        Name of the person who labels; by default the user name.
    port : int, optional
        Port of the server, which only this computer can reach.
    open_browser : bool, default=True
        Whether to open the page. Its address is printed in any case.

    Returns
    -------
    ndarray of shape (n_samples,)
        Labels as estimators take them: class names as text with None for unlabeled
        rows, or whole numbers with -1 if `y` holds whole numbers.
    """
    from widemargin.studio.run import check_installed, label_rows

    check_installed()
    given = {"images": images, "texts": texts}
    options = {"store": store, "name": name, "port": port, "open_browser": open_browser}
    return label_rows(X, y, given, **options)
