"""The provers, one file each with its certificate beside it."""
