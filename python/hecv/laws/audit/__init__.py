"""The audit of laws: each proved, tested or refuted, at every type."""
