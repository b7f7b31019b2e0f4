"""Rule files of users: Python or JSON in, definitions or located errors out."""
