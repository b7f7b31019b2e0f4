// A product that is shifted by less than its width is taken for the high word of an extended one.
// expect: value
func.func @high(%x: i16, %y: i16) -> i16 {
  %l, %h = arith.mului_extended %x, %y : i16
  return %h : i16
}
