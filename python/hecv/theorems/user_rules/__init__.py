"""Loop rules of users: instances and their audit."""
