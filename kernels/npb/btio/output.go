package btio

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gobench/comm"
	"gobench/comm/op"
	"gobench/internal/bench/clock"
	"gobench/kernels/application"
	"gobench/kernels/npb"
	"gobench/kernels/npb/flow"
)

// A store writes and reads the fields of all ranks, one append after the other.
type store interface {
	// create opens the files for writing, and open for reading.
	create() error
	open() error
	// write stores the points of the rank as append d from 0, and read sets them.
	write(d int) error
	read(d int) error
	// close closes the files, after fsync if sync is set.
	close(sync bool) error
}

// output implements flow.Output.
type output struct {
	options Options
	rank    *application.Rank
	solver  *flow.Solver
	class   npb.Class
	steps   int
	store   store
	file    string // shared, or of this rank
	done    int    // appends
	spoiled bool   // a field that was read back has wrong values on the faces, which no norm includes
	spent   int64  // ns, in appends and in Close
	loading int64  // ns, reading back
}

func newOutput(r *application.Rank, s *flow.Solver, class npb.Class, o Options) *output {
	out := &output{options: o, rank: r, solver: s, class: class, steps: Code().Size(class).Steps}
	name := "btio." + o.Subtype + ".out"
	if o.Subtype == "epio" {
		name += fmt.Sprintf(".%04d", r.Comm.Rank())
	}
	out.file = filepath.Join(o.Path, name)
	switch o.Subtype {
	case "full":
		out.store = newCollective(r, s, out.file, o)
	case "epio":
		out.store = newRecords(s, out.file)
	default:
		out.store = newRows(s, out.file, o.Subtype == "fortran")
	}
	return out
}

// shared reports whether the ranks share a file.
func (o *output) shared() bool { return o.options.Subtype != "epio" }

// remove removes the files.
func (o *output) remove() error {
	if o.shared() && o.rank.Comm.Rank() != 0 {
		return nil
	}
	if err := os.Remove(o.file); err != nil && !os.IsNotExist(err) {
		return o.failed("removing", err)
	}
	return nil
}

// failed returns an error of the storage. err names the file.
func (o *output) failed(doing string, err error) error {
	return fmt.Errorf("bt-io, %s: %w", doing, err)
}

// Open implements flow.Output.
func (o *output) Open() error {
	o.done, o.spent, o.loading, o.spoiled = 0, 0, 0, false
	if err := o.remove(); err != nil {
		return err
	}
	if err := comm.Barrier(o.rank.Comm); err != nil {
		return err
	}
	if err := o.store.create(); err != nil {
		return o.failed("creating the file", err)
	}
	return nil
}

// Step implements flow.Output.
func (o *output) Step(step int) error {
	if step%interval != 0 && step != o.steps {
		return nil
	}
	o.rank.Timers.Begin(application.Storage)
	start := clock.Now()
	err := o.store.write(o.done)
	o.spent += clock.Now() - start
	o.rank.Timers.Begin(application.Compute)
	if err != nil {
		return o.failed(fmt.Sprintf("writing after step %d", step), err)
	}
	o.done++
	return nil
}

// Close implements flow.Output.
func (o *output) Close() error {
	o.rank.Timers.Begin(application.Storage)
	start := clock.Now()
	err := o.store.close(o.options.Sync)
	o.spent += clock.Now() - start
	o.rank.Timers.Begin(application.Compute)
	if err != nil {
		return o.failed("closing the file", err)
	}
	return nil
}

// Verify implements flow.Output.
func (o *output) Verify() (norm [5]float64, text string, err error) {
	if err := comm.Barrier(o.rank.Comm); err != nil { // all have written
		return norm, "", err
	}
	start := clock.Now()
	if err := o.store.open(); err != nil {
		return norm, "", o.failed("opening the file to read it back", err)
	}
	o.loading = clock.Now() - start
	all(o.solver, func(c *flow.Cell, j, k int) error { // clear the last field, so that all values come from the file
		for m := range 5 {
			clear(c.U[c.At(0, j, k)+m*c.Comp:][:c.N[0]])
		}
		return nil
	})
	var s strings.Builder
	fmt.Fprintf(&s, " BTIO -- %s write interval: %3d\n\n", titles[o.options.Subtype], interval)
	for d := range o.done {
		start := clock.Now()
		if err := o.store.read(d); err != nil {
			return norm, "", o.failed(fmt.Sprintf("reading field %d back", d+1), err)
		}
		o.loading += clock.Now() - start
		o.spoiled = o.spoiled || !o.solver.FacesKept()
		one, err := o.solver.ErrorNorm(false)
		if err != nil {
			return norm, "", err
		}
		for m, v := range one {
			norm[m] += v / float64(o.done)
		}
		fmt.Fprintf(&s, " Reading data set %12d\n", d+1)
	}
	if err := o.store.close(false); err != nil {
		return norm, "", o.failed("closing the file", err)
	}
	if err := comm.Barrier(o.rank.Comm); err != nil { // all have read
		return norm, "", err
	}
	return norm, s.String(), o.remove()
}

// titles holds the official names of the subtypes.
var titles = map[string]string{"full": "FULL MPI-IO", "simple": "SIMPLE MPI-IO", "fortran": "FORTRAN IO", "epio": "EPIO"}

// Finish implements flow.Output. The official time of the output is the harmonic mean of the times
// of the ranks, in which the fastest rank has the greatest weight. The facts also contain the
// greatest time.
func (o *output) Finish(result *npb.Result) error {
	if o.spoiled {
		result.Checks = append(result.Checks, npb.Check{Name: "field on the faces", Error: 1})
	}
	spent := float64(o.spent) / 1e9
	sums, largest := [1]float64{1 / spent / float64(o.rank.Comm.Size())}, [3]float64{spent, result.Seconds, float64(o.loading) / 1e9}
	if err := comm.Allreduce(o.rank.Aside, nil, sums[:], op.Sum[float64]()); err != nil {
		return err
	}
	if err := comm.Allreduce(o.rank.Aside, nil, largest[:], op.Max[float64]()); err != nil {
		return err
	}
	mean, bytes := 1/sums[0], float64(written(o.class))
	result.Text += fmt.Sprintf("\n BTIO -- statistics:\n   I/O timing in seconds   : %14.2f\n   I/O timing percentage   : %14.2f\n"+
		"   Total data written (MB) : %14.2f\n   I/O data rate  (MB/sec) : %14.2f\n",
		mean, 100*mean/largest[1], bytes/1e6, bytes/1e6/mean)
	result.Facts = map[string]any{"storage": Storage{Path: o.options.Path, Bytes: written(o.class), Mean: mean, Seconds: largest[0], Share: largest[0] / largest[1], Reading: largest[2]}}
	result.Metrics = map[string]float64{"storage_Bps": bytes / largest[0], "storage_read_Bps": bytes / largest[2]}
	return nil
}

// Storage is the output of a run, for its record.
type Storage struct {
	Path    string  `json:"path"`   // directory
	Bytes   int64   `json:"bytes"`  // written
	Mean    float64 `json:"mean_s"` // harmonic mean of the times of the ranks, from which the official rate is computed
	Seconds float64 `json:"max_s"`  // greatest time of a rank
	Share   float64 `json:"share"`  // Seconds divided by the time of the run
	Reading float64 `json:"read_s"` // greatest time of a rank in which it reads everything back
}
