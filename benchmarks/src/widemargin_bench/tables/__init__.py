"""Tables of the papers, one module a paper, and tables of our own."""
