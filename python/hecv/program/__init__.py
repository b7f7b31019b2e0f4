"""The program graph: a tree of statements in program order over hash-consed terms."""
