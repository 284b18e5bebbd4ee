//go:build !linux

package application

// advise does nothing: only Linux takes advice about huge pages.
func advise[T Element]([]T) {}
