"""SAT sweeping: long programs compared term by term, equal terms merged operands first."""
