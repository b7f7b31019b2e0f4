"""An operator of one's own, and what is known of it."""

from hecv.rules import law, op


@op("my.blur")
def blur(x): ...


@law
def blur_blur(x):
    return blur(blur(x)), blur(x)
