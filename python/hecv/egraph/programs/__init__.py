"""Programs as e-nodes: rounds of loop theorems and laws (HEC, section 4.3)."""
