"""What isl sees of a program: domains, schedules, accesses, and who wrote what is read."""
