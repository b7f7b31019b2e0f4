"""The checker of certificates: no e-graph, no search for rules or inductions is imported here."""
