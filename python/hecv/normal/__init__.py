"""Normal forms: passes that bring both programs of a pair to a form in which they can be compared."""
