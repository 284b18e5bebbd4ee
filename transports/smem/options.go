package smem

import (
	"fmt"
	"slices"

	"gobench/device"
	"gobench/device/protocol"
)

// Options implements device.Driver. The defaults depend on the number of ranks, and auto is what is
// in force (inForce) on this host.
func (driver) Options() []device.Option {
	return slices.Concat([]device.Option{
		{Name: "ring_bytes", Kind: device.Bytes, Default: "auto", Max: maxRing,
			Help:   "data ring of one direction of a pair, bytes; auto is 2MiB, less with 10 ranks and more",
			Search: &device.Search{Values: []string{"512K", "1M", "2M", "4M"}, Sizes: "16K,64K,1M", Memory: "heap"}},
		{Name: "cma", Kind: device.Word, Default: cmaAuto, Values: []string{cmaAuto, cmaOn, cmaOff},
			Help: "copying between processes without an intermediate buffer (process_vm_readv, process_vm_writev); on fails if that is forbidden"},
	}, protocol.Options())
}

// What auto stands for may differ from host to host. inForce is part of what identifies a result,
// because it changes the protocol; found is not.
//
// found returns the choices of the profile that are in force. They differ from machine to machine
// and do not separate results.
func (w *wire) found() map[string]string {
	m := map[string]string{}
	for distance, tuning := range w.tunings {
		name := distanceNames[distance]
		m[name+"_copy"], m[name+"_fetch"] = tuning.copier, tuning.fetch
		for t, table := range tuning.tables {
			m[name+"_"+trafficNames[t]] = table.String()
		}
	}
	return m
}

// inForce returns the values of options that depend on the machine.
func (w *wire) inForce() map[string]string {
	cma := cmaOff
	switch {
	case w.reach == reachCMA:
		cma = cmaOn
	case w.reach == reachDirect:
		cma = "not needed (one address space)"
	case w.refusal != "":
		cma = fmt.Sprintf("%s (%s)", cmaOff, w.refusal)
	}
	return map[string]string{"ring_bytes": fmt.Sprint(w.layout.data), "cma": cma}
}
