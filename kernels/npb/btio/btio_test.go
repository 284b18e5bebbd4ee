package btio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gobench/comm"
	"gobench/kernels/application"
	"gobench/kernels/kerneltest"
	"gobench/kernels/npb"
	"gobench/kernels/npb/bt"
	"gobench/kernels/npb/flow"
)

// variants are options for each way to write.
func variants(t *testing.T) []Options {
	o := Default()
	o.Path = t.TempDir()
	list := []Options{o}
	small := o
	small.Buffer, small.Aggregators, small.Sync = 5000, 3, true
	list = append(list, small)
	for _, subtype := range Subtypes()[1:] {
		o.Subtype = subtype
		list = append(list, o)
	}
	return list
}

func TestClassS(t *testing.T) {
	if testing.Short() { // one way has all that is concurrent
		kerneltest.ClassS(t, Kernel(variants(t)[1]), nil, nil)
		return
	}
	for _, o := range variants(t) {
		kerneltest.Verify(t, Kernel(o), npb.S, kerneltest.Shared, 4, 1)
		if left, _ := filepath.Glob(filepath.Join(o.Path, "*")); len(left) > 0 {
			t.Errorf("%v leaves %v", o, left)
		}
	}
}

// stored returns the file that two appends of a field leave, in which every number is different.
func stored(t *testing.T, o Options, ranks int) []byte {
	t.Helper()
	name := filepath.Join(o.Path, "btio."+o.Subtype+".out")
	kerneltest.Run(t, kerneltest.Shared, ranks, 1, func(r *application.Rank) error {
		size := bt.Code().Sizes[npb.S]
		g := flow.Cube(size.N, size.Dt)
		s := flow.NewSolver(r, r.Team, r.Comm, g, flow.NewPartition(r.Comm.Rank(), ranks).Cells(g.N))
		out := newOutput(r, s, npb.S, o)
		if err := out.Open(); err != nil {
			return err
		}
		for d := range 2 {
			for _, c := range s.Cells {
				for k := range c.N[2] {
					for j := range c.N[1] {
						for i := range c.N[0] {
							for m := range 5 {
								c.U[c.At(i, j, k)+m*c.Comp] = float64((((d*12+c.Lo[2]+k)*12+c.Lo[1]+j)*12+c.Lo[0]+i)*5 + m)
							}
						}
					}
				}
			}
			if err := out.Step((d + 1) * interval); err != nil {
				return err
			}
		}
		return out.Close()
	})
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The bytes of the shared file equal the field, in the order of components, x, y and z,
// whoever writes them.
func TestTheFileHasTheOfficialLayout(t *testing.T) {
	var want bytes.Buffer
	for i := range 2 * 5 * 12 * 12 * 12 {
		_ = binary.Write(&want, binary.NativeEndian, float64(i))
	}
	for _, o := range variants(t) {
		if o.Subtype == "epio" {
			continue
		}
		for _, ranks := range []int{1, 4} {
			if o.Aggregators > ranks {
				o.Aggregators = ranks
			}
			if got := stored(t, o, ranks); !bytes.Equal(got, want.Bytes()) {
				t.Errorf("%v on %d ranks: the file of %d bytes differs", o, ranks, len(got))
			}
		}
	}
}

// Direct access gives the same file, where the system offers it.
func TestDirectAccessGivesTheSameFile(t *testing.T) {
	o := Default()
	o.Path, o.Buffer = t.TempDir(), 20000
	want := stored(t, o, 4)
	o.Direct = true
	f, err := os.OpenFile(filepath.Join(o.Path, "probe"), os.O_CREATE|os.O_RDWR|syscall.O_DIRECT, 0o600)
	if errors.Is(err, syscall.EINVAL) {
		t.Skip("SKIPPED: the file system of the temporary directory has no direct access")
	} else if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if got := stored(t, o, 4); !bytes.Equal(got, want) {
		t.Error("the files differ")
	}
	if !testing.Short() {
		kerneltest.Verify(t, Kernel(o), npb.S, kerneltest.Shared, 4, 1)
	}
}

// A record of epio is a cell between two copies of its length.
func TestRecordsAreThoseOfFortran(t *testing.T) {
	o := Default()
	o.Path, o.Subtype = t.TempDir(), "epio"
	kerneltest.Run(t, kerneltest.Shared, 4, 1, func(r *application.Rank) error {
		size := bt.Code().Sizes[npb.S]
		g := flow.Cube(size.N, size.Dt)
		s := flow.NewSolver(r, r.Team, r.Comm, g, flow.NewPartition(r.Comm.Rank(), 4).Cells(g.N))
		s.Start()
		out := newOutput(r, s, npb.S, o)
		if err := errors.Join(out.Open(), out.Step(interval), out.Close()); err != nil {
			return err
		}
		b, err := os.ReadFile(out.file)
		if err != nil {
			return err
		}
		const cell = 40 * 6 * 6 * 6
		if len(b) != 2*(cell+8) || binary.NativeEndian.Uint32(b) != cell || binary.NativeEndian.Uint32(b[cell+4:]) != cell {
			t.Errorf("the file of rank %d has %d bytes and begins with %v", r.Comm.Rank(), len(b), b[:4])
		}
		if u := math.Float64frombits(binary.NativeEndian.Uint64(b[4:])); u != s.Cells[0].State(0, 0, 0)[0] {
			t.Errorf("the first number of rank %d is %v", r.Comm.Rank(), u)
		}
		return nil
	})
}

// A file that vanishes, or is cut off, before it is read back ends the run with an error that names
// it.
func TestLostFilesAreErrors(t *testing.T) {
	for _, o := range variants(t) {
		for _, c := range []struct {
			spoil func(name string) error
			want  string
		}{
			{os.Remove, "no such file"},
			{func(name string) error { return os.Truncate(name, 1000) }, "btio."},
		} {
			err := kerneltest.Try(kerneltest.Shared, 1, 1, func(r *application.Rank) error {
				size := bt.Code().Sizes[npb.S]
				g := flow.Cube(size.N, size.Dt)
				s := flow.NewSolver(r, r.Team, r.Comm, g, flow.NewPartition(0, 1).Cells(g.N))
				s.Start()
				o.Aggregators = min(o.Aggregators, 1)
				out := newOutput(r, s, npb.S, o)
				if err := errors.Join(out.Open(), out.Step(interval), out.Close(), c.spoil(out.file)); err != nil {
					return err
				}
				_, _, err := out.Verify()
				return err
			})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), o.Path) {
				t.Errorf("%v: %v, want an error with %q", o, err, c.want)
			}
		}
	}
}

// lost is a store whose directory vanishes in the middle of the run, or whose device fails when its
// data are to be stored.
type lost struct {
	store
	dir    string // removed before the third field is written
	failed error  // of the synchronisation with the device
}

func (l lost) write(d int) error {
	if l.dir != "" && d == 2 {
		if err := os.RemoveAll(l.dir); err != nil {
			return err
		}
	}
	return l.store.write(d)
}

func (l lost) close(sync bool) error {
	if err := l.store.close(sync); err != nil || l.failed == nil || !sync {
		return err
	}
	return l.failed
}

// A directory that vanishes during a run, and data that cannot be stored on the device, end the run
// on all ranks with an error that names the file, and leave nothing.
func TestLostDirectoriesAndDevicesAreErrors(t *testing.T) {
	all := variants(t)
	if testing.Short() {
		all = all[1:2] // as in TestClassS
	}
	for _, o := range all {
		for _, fails := range []bool{false, true} {
			o.Path, o.Sync = filepath.Join(t.TempDir(), "directory"), true
			if err := os.Mkdir(o.Path, 0o777); err != nil {
				t.Fatal(err)
			}
			want := "bt-io, opening the file to read it back: open " + o.Path
			if fails {
				want = "bt-io, closing the file: sync " + o.Path
			}
			err := kerneltest.Try(kerneltest.Shared, 4, 1, func(r *application.Rank) error {
				i := newInstance(r, Code(), npb.S, o)
				l := lost{store: i.out.store}
				if fails {
					l.failed = &os.PathError{Op: "sync", Path: i.out.file, Err: syscall.EIO}
				} else if r.Comm.Rank() == 0 {
					l.dir = o.Path
				}
				i.out.store = l
				_, err := i.Run()
				return err
			})
			left, _ := os.ReadDir(o.Path)
			if err == nil || !strings.Contains(err.Error(), want) || len(left) > 0 {
				t.Errorf("%v: %v, left are %v, want an error with %q", o, err, left, want)
			}
		}
	}
}

// The rates belong to the ranks that write and read longest. NPB prints one over the harmonic
// mean of the times of writing.
func TestRateOfStorage(t *testing.T) {
	kerneltest.Run(t, kerneltest.Shared, 2, 1, func(r *application.Rank) error {
		out := &output{rank: r, class: npb.S, options: Options{Path: "/x"}, spent: []int64{1e9, 4e9}[r.Comm.Rank()], loading: []int64{2e9, 1e9}[r.Comm.Rank()]}
		result := npb.Result{Seconds: []float64{8, 7}[r.Comm.Rank()]}
		if err := out.Finish(&result); err != nil {
			return err
		}
		bytes := written(npb.S)
		want := Storage{Path: "/x", Bytes: bytes, Mean: 1.6, Seconds: 4, Share: 0.5, Reading: 2}
		if got := result.Facts["storage"].(Storage); math.Abs(got.Mean-want.Mean) > 1e-12 {
			t.Errorf("harmonic mean %v s", got.Mean)
		} else if got.Mean = want.Mean; got != want || result.Metrics["storage_Bps"] != float64(bytes)/4 || result.Metrics["storage_read_Bps"] != float64(bytes)/2 {
			t.Errorf("%+v, %v", got, result.Metrics)
		}
		return nil
	})
}

// full is a store on a device that is full.
type full struct{ store }

func (full) write(int) error { return syscall.ENOSPC }

func TestFailedRunLeavesNoFiles(t *testing.T) {
	for _, o := range variants(t) {
		err := kerneltest.Try(kerneltest.Shared, 1, 1, func(r *application.Rank) error {
			o.Aggregators = min(o.Aggregators, 1)
			i := newInstance(r, Code(), npb.S, o)
			i.out.store = full{i.out.store}
			_, err := i.Run()
			return err
		})
		left, _ := os.ReadDir(o.Path)
		if !errors.Is(err, syscall.ENOSPC) || len(left) > 0 {
			t.Errorf("%v: %v, left are %v", o, err, left)
		}
	}
}

// The aggregator gets rows from all ranks after those of BT when it writes, and the others get
// theirs when they are read back.
func TestDamageIsNoticedInEveryPhase(t *testing.T) {
	if testing.Short() {
		return // it has nothing new for a race detector
	}
	o := Default()
	o.Path = t.TempDir()
	kerneltest.Noticed(t, Kernel(o), 4, 0, interval-1, 13, 14, 15)
	kerneltest.Noticed(t, Kernel(o), 4, 1, Code().Sizes[npb.S].Steps, 1)
}

// mistaken is a store with mistakes: of one rank the appends that write and read get are those
// that it returns; negative ones are left out.
type mistaken struct {
	store
	written, got func(d int) int
}

func (m mistaken) write(d int) error {
	if d = m.written(d); d < 0 {
		return nil
	}
	return m.store.write(d)
}

func (m mistaken) read(d int) error { return m.store.read(m.got(d)) }

func TestMutantsAreNotVerified(t *testing.T) {
	if testing.Short() {
		return // it has nothing new for a race detector
	}
	right := func(d int) int { return d }
	for _, o := range variants(t) {
		plant := func(change func(rank int, out *output)) func(k *npb.Kernel) {
			return func(k *npb.Kernel) {
				k.New = func(r *application.Rank, class npb.Class) (npb.Instance, error) {
					return flow.WithOutput(r, Code(), class, flow.Blocks(), func(s *flow.Solver, _ flow.Partition) flow.Output {
						out := newOutput(r, s, class, o)
						change(r.Comm.Rank(), out)
						return out
					}), nil
				}
			}
		}
		mutants := map[string]func(k *npb.Kernel){
			"an append that is left out": plant(func(_ int, out *output) {
				out.store = mistaken{out.store, func(d int) int {
					if d == 3 {
						return -1
					}
					return d
				}, right}
			}),
		}
		if o.Subtype != "epio" { // which has no places
			mutants["appends at the place of the first"] = plant(func(_ int, out *output) {
				out.store = mistaken{out.store, func(int) int { return 0 }, right}
			})
			mutants["the first field is read again and again"] = plant(func(_ int, out *output) {
				out.store = mistaken{out.store, right, func(int) int { return 0 }}
			})
		}
		kerneltest.Mutants(t, Kernel(o), 4, mutants)
	}
}

func TestMemoryIsAsSaid(t *testing.T) {
	if testing.Short() {
		return // it has nothing new for a race detector
	}
	for _, o := range variants(t) {
		kerneltest.Fits(t, Kernel(o).Program(npb.S, false, nil), 4, 1, false)
	}
}

// After the first append, in which the buffers are made, storing a field allocates nothing, on any
// rank.
func TestAppendsAllocateNothing(t *testing.T) {
	if testing.Short() {
		return // the race detector does not look for this
	}
	for _, o := range variants(t) {
		kerneltest.Run(t, kerneltest.Shared, 4, 1, func(r *application.Rank) error {
			size := bt.Code().Sizes[npb.S]
			g := flow.Cube(size.N, size.Dt)
			s := flow.NewSolver(r, r.Team, r.Comm, g, flow.NewPartition(r.Comm.Rank(), 4).Cells(g.N))
			s.Start()
			out := newOutput(r, s, npb.S, o)
			if err := out.Open(); err != nil {
				return err
			}
			err := out.Step(interval)
			if n := kerneltest.Allocs(func() {
				// Between appends the solver lets no rank run ahead. Without, a rank that writes
				// slowly keeps more messages of the others than its device has buffers for.
				if err == nil {
					err = errors.Join(out.Step(interval), comm.Barrier(r.Comm))
				}
			}); n > 0 && err == nil {
				t.Errorf("%v: an append allocates %v times", o, n)
			}
			return errors.Join(err, out.Close())
		})
	}
}

// Mistakes are visible before anything is started.
func TestOptionsAreChecked(t *testing.T) {
	good := Default()
	good.Path = t.TempDir()
	if err := good.Check(npb.S, 4); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*Options){
		`io is "fast", want full`:   func(o *Options) { o.Subtype = "fast" },
		"io-direct works with":      func(o *Options) { o.Subtype, o.Direct = "simple", true },
		"io-buffer is 0":            func(o *Options) { o.Buffer = 0 },
		"io-aggregators is 5":       func(o *Options) { o.Aggregators = 5 },
		"no such file or directory": func(o *Options) { o.Path += "/none" },
	} {
		o := good
		change(&o)
		if err := o.Check(npb.S, 4); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
	if err := good.Check(npb.E, 4); err == nil || !strings.Contains(err.Error(), "has room for") {
		t.Errorf("2 TB fit: %v", err)
	}
}
