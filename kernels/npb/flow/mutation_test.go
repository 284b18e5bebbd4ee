package flow_test

import (
	"testing"

	"gobench/kernels/kerneltest"
	"gobench/kernels/npb/flow"
)

func TestMutantsAreNotVerified(t *testing.T) {
	if testing.Short() {
		return // it has nothing new for a race detector
	}
	for i, c := range programs {
		k := flow.Partitioned(c.code, c.method)
		kerneltest.Mutants(t, k, 4, flow.MutantsOfLines(c.method().Turned))
		if i == 0 { // the other one shares all of this
			kerneltest.Mutants(t, k, 4, flow.MutantsOfRanks())
			kerneltest.Mutants(t, k, 1, flow.MutantsOfResiduals())
		}
	}
	for _, code := range zonedPrograms {
		kerneltest.Mutants(t, flow.Zoned(code), 2, flow.MutantsOfZones())
	}
}
