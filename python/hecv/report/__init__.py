"""Report formats: each kind of report as text and as JSON."""
