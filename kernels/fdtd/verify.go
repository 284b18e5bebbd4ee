package fdtd

import "unsafe"

// tolerance is the greatest error of the energy that roundings can explain.
func tolerance[T Real]() float64 {
	if unsafe.Sizeof(T(0)) == 4 {
		return 2e-5
	}
	return 1e-12
}
