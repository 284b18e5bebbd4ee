//go:build !amd64 || race

package simd

func stringCopiers() []Copier { return nil }
