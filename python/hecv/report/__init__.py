"""Report formats: each kind of answer as text, JSON, SARIF and JUnit."""
