package stackcall

// Call calls int fn(a, b) of C. What a and b point to must be alive and no part of a stack.
func Call(fn, a, b uintptr) int32
