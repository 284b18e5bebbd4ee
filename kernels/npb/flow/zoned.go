package flow

import (
	"errors"
	"fmt"

	"gobench/bench/team"
	"gobench/comm"
	"gobench/comm/op"
	"gobench/kernels/application"
	"gobench/kernels/npb"
)

// A ZonedCode is one of BT-MZ, SP-MZ and LU-MZ (NPB 3.3.1-MZ): a mesh of zones. Each zone is a
// problem of the single-zone code, and the zones exchange their faces along x and y before each
// step.
type ZonedCode struct {
	Name, About string
	Meshes      map[npb.Class]Mesh
	References  map[npb.Class]Reference
	// Operations returns the official number of operations of a step on a zone (see Code).
	Operations func(n, square, mean float64) float64
	// H returns the distances of points, which are the same in all zones.
	H func(m Mesh) [3]float64
	// New returns the solver of zones that a team works on, and Memory the bytes that it needs for
	// them.
	New    func(team *team.Team, zones []*Solver) Zones
	Memory func(zones [][3]int, threads int) int64
	// Inner selects the verification of LU: the errors of inner points only, the residual of the
	// last step, and Surface.
	Inner   bool
	Surface func(s *Solver) (float64, error)
}

// Zones advances zones.
type Zones interface {
	// Prepare sets the initial field.
	Prepare()
	// Step advances all zones by one step of time. The faces must be valid.
	Step() error
}

// Zoned describes a multi-zone code.
func Zoned(code *ZonedCode) *npb.Kernel {
	return &npb.Kernel{
		Name: code.Name, About: code.About, Last: npb.E, Zoned: true,
		Problem: code.problem,
		Legal: func(class npb.Class, ranks int) error {
			m := code.mesh(class)
			if n := m.narrowest(); n < fewest {
				return &npb.FactorError{Kernel: code.Name, Class: class, Why: fmt.Sprintf("a zone would have %d points along an axis", n)}
			}
			return m.within(code.Name, class, ranks)
		},
		Memory: code.memory,
		New: func(r *application.Rank, class npb.Class) (npb.Instance, error) {
			return newZoned(r, code, class), nil
		},
	}
}

// mesh returns the parameters of a class. A multiple of a class has the same number of zones and
// that multiple of the points.
func (c *ZonedCode) mesh(class npb.Class) Mesh {
	m, factor := c.Meshes[class.Letter()], class.Factor()
	for axis, n := range m.N {
		m.N[axis] = times(n, factor)
	}
	m.Dt = shorter(m.Dt, factor)
	return m
}

// problem describes a class.
func (c *ZonedCode) problem(class npb.Class) npb.Problem {
	m := c.mesh(class)
	var operations float64
	for z := range m.count() {
		n := m.zone(z)
		a, b, d := float64(n[0]), float64(n[1]), float64(n[2])
		operations += c.Operations(a*b*d, (a*b+a*d+b*d)/3, (a+b+d)/3)
	}
	return npb.Problem{
		Size:       fmt.Sprintf("%5dx%5dx%3d", m.N[0], m.N[1], m.N[2]),
		Header:     fmt.Sprintf(" Number of zones: %3d x %3d\n Iterations: %3d    dt: %10.6f\n Number of active processes: %%5d\n", m.Zones[0], m.Zones[1], m.Steps, m.Dt),
		Iterations: m.Steps,
		Operations: 1e-6 * float64(m.Steps) * operations,
		Kind:       "floating point",
	}
}

// memory returns the bytes of all zones.
func (c *ZonedCode) memory(class npb.Class, ranks, threads int) (bytes int64) {
	m := c.mesh(class)
	owner := m.owners(ranks)
	for rank := range ranks {
		thread := m.threads(of(owner, rank), threads)
		bytes += c.groupMemory(&m, of(thread, shared), threads)
		for own := range threads {
			bytes += c.groupMemory(&m, of(thread, own), 1)
		}
	}
	return bytes
}

// groupMemory returns the bytes of zones that a group of threads works on.
func (c *ZonedCode) groupMemory(m *Mesh, zones []int, threads int) (bytes int64) {
	var sizes [][3]int
	for _, z := range zones {
		sizes = append(sizes, m.zone(z))
		bytes += SolverMemory(m.zone(z), 1, threads)
	}
	return bytes + c.Memory(sizes, threads)
}

// zoned is a multi-zone code on one rank.
type zoned struct {
	rank    *application.Rank
	code    *ZonedCode
	class   npb.Class
	mesh    Mesh
	solvers []*Solver
	zones   Zones
	borders *Borders
}

func newZoned(r *application.Rank, code *ZonedCode, class npb.Class) *zoned {
	m := code.mesh(class)
	z := &zoned{rank: r, code: code, class: class, mesh: m}
	owner := m.owners(r.Comm.Size())
	zones := of(owner, r.Comm.Rank())
	thread := m.threads(zones, r.Team.Threads())
	cells, solvers := make([]*Cell, m.count()), make([]*Solver, m.count())
	group := func(team *team.Team, zones []int) Zones {
		var list []*Solver
		for _, number := range zones {
			g := Grid{m.zone(number), code.H(m), m.Dt}
			cells[number] = NewCell([3]int{}, g.N)
			solvers[number] = NewSolver(r, team, nil, g, cells[number:number+1])
			list = append(list, solvers[number])
		}
		return code.New(team, list)
	}
	all := &threadZones{team: r.Team, shared: group(r.Team, of(thread, shared)),
		own: make([]Zones, r.Team.Threads()), failed: make([]error, r.Team.Threads())}
	// Each thread is the first to touch the memory of its zones.
	r.Team.Run(func(own int) { all.own[own] = group(team.Alone(), of(thread, own)) })
	all.prepare, all.step = all.doPrepare, all.doStep
	z.zones = all
	for _, number := range zones {
		z.solvers = append(z.solvers, solvers[number])
	}
	z.borders = newBorders(r, &m, owner, thread, cells)
	return z
}

// threadZones are the zones of a rank: those that all threads work on together, and those of each
// thread.
type threadZones struct {
	team          *team.Team
	shared        Zones
	own           []Zones
	failed        []error          // of each thread
	prepare, step func(thread int) // made once because a method value allocates
}

// Prepare implements Zones.
func (z *threadZones) Prepare() {
	z.shared.Prepare()
	z.team.Run(z.prepare)
}

func (z *threadZones) doPrepare(thread int) { z.own[thread].Prepare() }

// Step implements Zones.
func (z *threadZones) Step() error {
	if err := z.shared.Step(); err != nil {
		return err
	}
	z.team.Run(z.step)
	return errors.Join(z.failed...)
}

func (z *threadZones) doStep(thread int) { z.failed[thread] = z.own[thread].Step() }

// Run implements npb.Instance: one untimed step, then all steps from the initial field.
func (z *zoned) Run() (npb.Result, error) {
	prepare := func() error {
		z.zones.Prepare()
		return nil
	}
	r := z.rank
	if err := r.Ready(r.Comm, prepare, z.step, prepare); err != nil {
		return npb.Result{}, err
	}
	for step := range z.mesh.Steps {
		if err := z.step(); err != nil {
			return npb.Result{}, err
		}
		if err := r.Step(step+1, z.mesh.Steps); err != nil {
			return npb.Result{}, err
		}
	}
	var sums Result
	if z.code.Inner {
		if err := z.residual(&sums); err != nil {
			return npb.Result{}, err
		}
	}
	result := npb.Result{Seconds: r.End()}
	if err := z.verify(&sums); err != nil {
		return result, err
	}
	result.Checks = checks(z.code.References, z.class, sums)
	result.Text = z.text(result.Checks)
	return result, nil
}

// step advances all zones.
func (z *zoned) step() error {
	if err := z.borders.Exchange(); err != nil {
		return err
	}
	return z.zones.Step()
}

// residual adds the residual norms of all own zones to sums.
func (z *zoned) residual(sums *Result) error {
	for _, s := range z.solvers {
		norm, err := s.ResidualNorm(s.Dt)
		if err != nil {
			return err
		}
		for m, v := range norm {
			sums.Residual[m] += v
		}
	}
	return nil
}

// verify completes sums, over all zones.
func (z *zoned) verify(sums *Result) error {
	for _, s := range z.solvers {
		norm, err := s.ErrorNorm(!z.code.Inner)
		if err != nil {
			return err
		}
		for m, v := range norm {
			sums.Error[m] += v
		}
		if z.code.Surface != nil {
			v, err := z.code.Surface(s)
			if err != nil {
				return err
			}
			sums.Surface += v
		}
		if !z.code.Inner {
			s.Residual(s.Dt)
		}
	}
	if !z.code.Inner {
		if err := z.residual(sums); err != nil {
			return err
		}
	}
	all := append(append(sums.Residual[:], sums.Error[:]...), sums.Surface)
	if err := comm.Allreduce(z.rank.Comm, nil, all, op.Sum[float64]()); err != nil {
		return err
	}
	copy(sums.Residual[:], all)
	copy(sums.Error[:], all[5:])
	sums.Surface = all[10]
	return nil
}

// text formats the results in the layout of the official program.
func (z *zoned) text(checks []npb.Check) string {
	ranks := z.rank.Comm.Size()
	return fmt.Sprintf("\n Calculated speedup = %9.2f\n\n", z.mesh.speedup(ranks)*float64(z.rank.Team.Threads())) +
		text(z.class, z.mesh.Steps, checks, z.code.Inner)
}

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
