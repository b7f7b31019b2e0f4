"""The e-graph: egglog, the laws as its rules, and rounds of loop theorems. The only place that imports egglog."""
