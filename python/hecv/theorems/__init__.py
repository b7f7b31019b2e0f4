"""Loop theorems: unroll, peel, tile, fuse, interchange and the rest, each with its obligations (HEC)."""
