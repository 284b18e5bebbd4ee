package op

// Sum adds. Integers wrap around.
func Sum[T Number]() *Op { return of[T](&sums) }

// Prod multiplies. Integers wrap around.
func Prod[T Number]() *Op { return of[T](&prods) }

// Max is the greater one: left > right ? left : right. It is right where the two
// are zeros of two signs and where one is a NaN, so with NaNs the result depends
// on the order.
func Max[T Ordered]() *Op { return of[T](&maxima) }

// Min is the smaller one: left < right ? left : right, and right as with Max.
func Min[T Ordered]() *Op { return of[T](&minima) }

// BAnd keeps the bits that both have.
func BAnd[T Integer]() *Op { return of[T](&bitAnds) }

// BOr keeps the bits that one or both have.
func BOr[T Integer]() *Op { return of[T](&bitOrs) }

// BXor keeps the bits that one of the two has.
func BXor[T Integer]() *Op { return of[T](&bitXors) }
