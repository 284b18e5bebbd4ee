// Package all lists the kernels of the NAS Parallel Benchmarks.
package all

import (
	"gobench/internal/nearest"
	"gobench/kernels/npb"
	"gobench/kernels/npb/bt"
	"gobench/kernels/npb/cg"
	"gobench/kernels/npb/ep"
	"gobench/kernels/npb/ft"
	"gobench/kernels/npb/is"
	"gobench/kernels/npb/lu"
	"gobench/kernels/npb/mg"
	"gobench/kernels/npb/sp"
)

// Kernels lists all kernels by name.
func Kernels() []*npb.Kernel {
	return []*npb.Kernel{bt.Kernel(), cg.Kernel(), ep.Kernel(), ft.Kernel(), is.Kernel(), lu.Kernel(), mg.Kernel(), sp.Kernel()}
}

// Lookup returns the kernel with the given name, or a *nearest.UnknownError.
func Lookup(name string) (*npb.Kernel, error) {
	var known []string
	for _, k := range Kernels() {
		if k.Name == name {
			return k, nil
		}
		known = append(known, k.Name)
	}
	return nil, &nearest.UnknownError{What: "kernel", Name: name, Known: known, List: "known"}
}
