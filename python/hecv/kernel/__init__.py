"""The certificate checker (replay): no e-graph, no search for rules or inductions is imported here."""
