"""The dialect `llvm` on scalars: functions and ops that are raised to `func`, `cf`, `arith` and `math`."""
