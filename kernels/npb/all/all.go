// Package all lists the kernels of the NAS Parallel Benchmarks.
package all

import (
	"slices"
	"strings"

	"gobench/kernels/npb"
	"gobench/kernels/npb/bt"
	"gobench/kernels/npb/btio"
	"gobench/kernels/npb/cg"
	"gobench/kernels/npb/dt"
	"gobench/kernels/npb/ep"
	"gobench/kernels/npb/ft"
	"gobench/kernels/npb/is"
	"gobench/kernels/npb/lu"
	"gobench/kernels/npb/mg"
	"gobench/kernels/npb/sp"
	"gobench/nearest"
)

// Kernels lists all kernels by name. BT-IO and IS have their default options.
func Kernels() []*npb.Kernel {
	list := []*npb.Kernel{bt.Kernel(), btio.Kernel(btio.Default()), bt.Zoned(), cg.Kernel(), ep.Kernel(), ft.Kernel(), is.Kernel(is.Auto), lu.Kernel(), lu.Zoned(), mg.Kernel(), sp.Kernel(), sp.Zoned()}
	list = append(list, dt.Kernels()...)
	slices.SortFunc(list, func(a, b *npb.Kernel) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Lookup returns the kernel with the given name, or a *device.UnknownError.
func Lookup(name string) (*npb.Kernel, error) {
	var known []string
	for _, k := range Kernels() {
		if strings.EqualFold(k.Name, name) {
			return k, nil
		}
		known = append(known, k.Name)
	}
	return nil, &nearest.UnknownError{What: "kernel", Name: name, Known: known}
}
