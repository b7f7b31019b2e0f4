"""Types of a claim: one equation for each choice of types."""
