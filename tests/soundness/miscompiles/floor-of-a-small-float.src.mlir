func.func @floor() -> f8E3M4 {
  %one = arith.constant 1.0 : f8E3M4
  %r = math.floor %one : f8E3M4
  return %r : f8E3M4
}
