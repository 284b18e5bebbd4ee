package lu

import (
	"gobench/bench/team"
	"gobench/kernels/application"
	"gobench/kernels/npb"
	"gobench/kernels/npb/flow"
)

// Zoned describes LU-MZ, the multi-zone version.
func Zoned() *npb.Kernel { return flow.Zoned(ZonedCode()) }

// ZonedCode returns the classes of LU-MZ.
func ZonedCode() *flow.ZonedCode {
	return &flow.ZonedCode{
		Name: "lu-mz", About: "LU on sixteen equal zones: chains of points, each relaxed by one thread",
		Meshes: meshes, References: zonedReferences, Operations: Code().Operations,
		H: func(m flow.Mesh) [3]float64 {
			return [3]float64{1 / (float64(m.N[0])/float64(m.Zones[0]) - 1), 1 / (float64(m.N[1])/float64(m.Zones[1]) - 1), 1 / float64(m.N[2]-1)}
		},
		New: newZones,
		Memory: func(zones [][3]int, _ int) (bytes int64) {
			for _, n := range zones {
				bytes += relaxationMemory(n)
			}
			return bytes
		},
		Inner: true, Surface: surface,
	}
}

// meshes holds the parameters of the official classes of LU-MZ.
var meshes = map[npb.Class]flow.Mesh{
	npb.S: {N: [3]int{24, 24, 6}, Zones: [2]int{4, 4}, Steps: 50, Dt: 0.5},
	npb.W: {N: [3]int{64, 64, 8}, Zones: [2]int{4, 4}, Steps: 300, Dt: 0.0015},
	npb.A: {N: [3]int{128, 128, 16}, Zones: [2]int{4, 4}, Steps: 250, Dt: 2},
	npb.B: {N: [3]int{304, 208, 17}, Zones: [2]int{4, 4}, Steps: 250, Dt: 2},
	npb.C: {N: [3]int{480, 320, 28}, Zones: [2]int{4, 4}, Steps: 250, Dt: 2},
	npb.D: {N: [3]int{1632, 1216, 34}, Zones: [2]int{4, 4}, Steps: 300, Dt: 1},
	npb.E: {N: [3]int{4224, 3456, 92}, Zones: [2]int{4, 4}, Steps: 300, Dt: 0.5},
}

// zones are the zones of a team. Each is relaxed by one thread, and residuals are computed by all.
type zones struct {
	team   *team.Team
	list   []*relaxation
	failed []error
	relax  func(thread int)
}

func newZones(team *team.Team, solvers []*flow.Solver) flow.Zones {
	z := &zones{team: team, failed: make([]error, len(solvers))}
	alone := [3][2]int{{-1, -1}, {-1, -1}, {-1, -1}}
	for _, s := range solvers {
		z.list = append(z.list, newRelaxation(s, alone))
	}
	z.relax = z.doRelax // a method value allocates
	return z
}

// Prepare implements flow.Zones.
func (z *zones) Prepare() {
	for _, x := range z.list {
		x.solver.Start()
		x.solver.Residual(x.solver.Dt)
	}
}

// Step implements flow.Zones.
func (z *zones) Step() error {
	z.team.Run(z.relax)
	for i, x := range z.list {
		if z.failed[i] != nil {
			return z.failed[i]
		}
		x.solver.Residual(x.solver.Dt)
	}
	return nil
}

func (z *zones) doRelax(thread int) {
	first, end := application.Part(len(z.list), thread, z.team.Threads())
	for i, x := range z.list[first:end] {
		err := x.lower()
		if err == nil {
			err = x.upper()
		}
		z.failed[first+i] = err
	}
}
