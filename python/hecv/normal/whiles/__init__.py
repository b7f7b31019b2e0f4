"""While loops: counted loops, exits, rotation, bounds on trips."""
