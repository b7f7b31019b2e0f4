"""Well-founded induction over pairs of statement instances, with widening."""
