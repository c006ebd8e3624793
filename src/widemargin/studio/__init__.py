"""A page to label rows on, with a model of all rows that learns at every key press."""
