"""Normal forms of terms beside the e-graph: integers, floats, known bits."""
