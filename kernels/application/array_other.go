//go:build !linux

package application

// advise does nothing: elsewhere pages are the system's affair.
func advise[T Element]([]T) {}
