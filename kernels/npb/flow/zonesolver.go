package flow

import (
	"gobench/internal/team"
	"gobench/kernels/npb"
)

// AverageH returns the distances of points of BT-MZ and SP-MZ, those of the average zone.
func AverageH(m Mesh) [3]float64 {
	return [3]float64{float64(m.Zones[0]) / float64(m.N[0]-1), float64(m.Zones[1]) / float64(m.N[1]-1), 1 / float64(m.N[2]-1)}
}

// ZonedPartitioned returns the multi-zone version of BT or SP, whose zones are solved with the
// lines of a method.
func ZonedPartitioned(code *Code, meshes map[npb.Class]Mesh, references map[npb.Class]Reference, about string, method func() Method) *ZonedCode {
	return &ZonedCode{
		Name: code.Name + "-mz", About: about, Meshes: meshes, References: references, Operations: code.Operations,
		H: AverageH,
		New: func(_ *team.Team, zones []*Solver) Zones {
			var list sweptZones
			for _, s := range zones {
				list = append(list, NewSweeper(s, NewPartition(0, 1), method()))
			}
			return list
		},
		Memory: func(zones [][3]int, threads int) (bytes int64) {
			for _, n := range zones {
				bytes += SweeperMemory(n, 1, threads, method())
			}
			return bytes
		},
	}
}

// sweptZones are the zones of BT-MZ or SP-MZ.
type sweptZones []*Sweeper

// Prepare implements Zones.
func (z sweptZones) Prepare() {
	for _, s := range z {
		s.Start()
	}
}

// Step implements Zones.
func (z sweptZones) Step() error {
	for _, s := range z {
		s.Residual(s.Dt)
		for axis := range 3 {
			if err := s.Solve(axis); err != nil {
				return err
			}
		}
	}
	return nil
}
