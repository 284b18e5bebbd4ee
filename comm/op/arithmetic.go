package op

// Sum adds. Integers wrap around.
func Sum[T Number]() *Op { return of[T](&sums) }

// Prod multiplies. Integers wrap around.
func Prod[T Number]() *Op { return of[T](&prods) }

// Max selects the greater one: left > right ? left : right. It selects right if the two
// are zeros of different signs or one is a NaN, so with NaNs the result depends
// on the order.
func Max[T Ordered]() *Op { return of[T](&maxima) }

// Min selects the smaller one: left < right ? left : right, and right in the same cases as Max.
func Min[T Ordered]() *Op { return of[T](&minima) }

// BAnd is the bitwise and.
func BAnd[T Integer]() *Op { return of[T](&bitAnds) }

// BOr is the bitwise or.
func BOr[T Integer]() *Op { return of[T](&bitOrs) }

// BXor is the bitwise exclusive or.
func BXor[T Integer]() *Op { return of[T](&bitXors) }
