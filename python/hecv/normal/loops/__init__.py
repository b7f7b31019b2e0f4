"""Loop passes: re-rolling, strip joining, decoalescing, case splits, scalar evolution, affine unrolling."""
