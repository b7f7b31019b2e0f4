"""The book of laws, one law a line, by subject, and its audit."""
