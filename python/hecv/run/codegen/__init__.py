"""Python source for a function of the graph."""
