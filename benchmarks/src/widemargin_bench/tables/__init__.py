"""Tables of the papers, one module per paper, and tables of our own."""
