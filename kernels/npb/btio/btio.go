// Package btio is BT-IO of the NAS Parallel Benchmarks: BT that appends its whole field to a file
// every five steps, and reads everything back after the timed steps (NPB 3.4-MPI, BT with I/O; Wong
// and Van der Wijngaart, NAS-03-002).
//
// Its bottlenecks are the storage and the conversion of the many short rows of a rank, which are
// scattered over the file, into long writes. The subtypes write differently:
//
//   - full: ranks exchange rows so that each of a few aggregators writes long contiguous blocks
//     (two-phase collective buffering, as in MPI-IO, over the communicator of the benchmark).
//   - simple: each rank writes its rows along x one by one.
//   - fortran: each rank writes the five numbers of its points one by one.
//   - epio: each rank writes a file of its own, one record for each of its cells.
//
// The files have the official layout, byte by byte. Direct access and fsync are not part of the
// official benchmark.
package btio

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"gobench/internal/remedy"
	"gobench/kernels/application"
	"gobench/kernels/npb"
	"gobench/kernels/npb/bt"
	"gobench/kernels/npb/flow"
)

// Name is the name of the kernel.
const Name = "bt-io"

// Options select how the field is stored.
type Options struct {
	Subtype     string // one of Subtypes
	Path        string // directory of the files
	Direct      bool   // full only: bypass the page cache (O_DIRECT)
	Sync        bool   // the time includes fsync
	Buffer      int64  // full: bytes that an aggregator writes by one call
	Aggregators int    // full: ranks that write; 0 = one on each host
}

// Default returns the options of the official program, with the buffer of ROMIO.
func Default() Options { return Options{Subtype: "full", Path: ".", Buffer: 16 << 20} }

// Subtypes lists the subtypes.
func Subtypes() []string { return []string{"full", "simple", "fortran", "epio"} }

// String returns the options as a factor of records: "full", "full,buffer=65536,direct".
func (o Options) String() string {
	list := []string{o.Subtype}
	if o.Subtype == "full" {
		if o.Buffer != Default().Buffer {
			list = append(list, fmt.Sprintf("buffer=%d", o.Buffer))
		}
		if o.Aggregators > 0 {
			list = append(list, fmt.Sprintf("aggregators=%d", o.Aggregators))
		}
	}
	if o.Direct {
		list = append(list, "direct")
	}
	if o.Sync {
		list = append(list, "sync")
	}
	return strings.Join(list, ",")
}

// Check returns an error if the options are invalid for a class on the given number of ranks, or if
// the directory has too little room. It is called before any rank starts.
func (o Options) Check(class npb.Class, ranks int) error {
	switch {
	case !slices.Contains(Subtypes(), o.Subtype):
		return remedy.Errorf("%v is %q, want %s", remedy.Named("io"), o.Subtype, strings.Join(Subtypes(), ", "))
	case o.Direct && o.Subtype != "full":
		return remedy.Errorf("%v works with %v, whose writes are long enough, not with %s", remedy.Named("io-direct"), remedy.Set("io", "full"), o.Subtype)
	case o.Buffer < 1:
		return remedy.Errorf("%v is %d, want at least 1 byte", remedy.Named("io-buffer"), o.Buffer)
	case o.Aggregators < 0 || o.Aggregators > ranks:
		return remedy.Errorf("%v is %d, want 1 to %d, the number of ranks, or 0 for one on each host", remedy.Named("io-aggregators"), o.Aggregators, ranks)
	}
	var st unix.Statfs_t
	if err := unix.Statfs(o.Path, &st); err != nil {
		return remedy.Errorf("%v: %s: %w", remedy.Named("io-path"), o.Path, err)
	}
	if free, need := int64(st.Bavail)*int64(st.Bsize), written(class); free < need {
		return fmt.Errorf("bt-io class %v writes %.1f MB, and %s has room for %.1f MB", class, float64(need)/1e6, o.Path, float64(free)/1e6)
	}
	return nil
}

// interval is the number of steps between appends.
const interval = 5

// appends returns the number of appends of a class.
func appends(class npb.Class) int {
	return (bt.Code().Size(class).Steps + interval - 1) / interval
}

// written returns the bytes that a class writes.
func written(class npb.Class) int64 {
	n := int64(bt.Code().Size(class).N)
	return 40 * n * n * n * int64(appends(class))
}

// Code returns the classes of BT-IO. The norm of the error is the mean over all appends.
func Code() *flow.Code {
	code := bt.Code()
	code.Name, code.About = Name, "BT that stores its field every five steps: collective and single writes to files"
	residuals := code.References
	code.References = map[npb.Class]flow.Reference{}
	for class, norm := range norms {
		code.References[class] = flow.Reference{Residual: residuals[class].Residual, Error: norm}
	}
	return code
}

// Kernel describes BT-IO.
func Kernel(o Options) *npb.Kernel {
	code := Code()
	k := flow.Partitioned(code, flow.Blocks)
	problem, solver := k.Problem, k.Memory
	k.Problem = func(class npb.Class) npb.Problem {
		p := problem(class)
		p.Title = "BT" // of the official program
		return p
	}
	k.Memory = func(class npb.Class, ranks, threads int) int64 {
		return solver(class, ranks, threads) + o.memory(code.Size(class).N)
	}
	k.New = func(r *application.Rank, class npb.Class) (npb.Instance, error) {
		return newInstance(r, code, class, o), nil
	}
	return k
}

// instance is BT-IO on one rank.
type instance struct {
	npb.Instance
	out *output
}

func newInstance(r *application.Rank, code *flow.Code, class npb.Class, o Options) *instance {
	i := &instance{}
	i.Instance = flow.WithOutput(r, code, class, flow.Blocks(), func(s *flow.Solver, _ flow.Partition) flow.Output {
		i.out = newOutput(r, s, class, o)
		return i.out
	})
	return i
}

// Run implements npb.Instance. A run that fails or is interrupted leaves no files, which may be
// large.
func (i *instance) Run() (npb.Result, error) {
	result, err := i.Instance.Run()
	if err != nil {
		_ = i.out.remove() // err is the cause
	}
	return result, err
}

// memory returns the bytes of the buffers of all ranks, if all are on one host.
func (o Options) memory(n int) int64 {
	switch o.Subtype {
	case "full": // of each aggregator: the received rows, its window, and the rows sent to it
		count := max(1, min(o.Aggregators, n))
		_, largest := flow.Slab(n, 0, count)
		return 3 * int64(count*o.lines(n, largest)*point*n)
	case "epio":
		return point * int64(n) * int64(n) * int64(n)
	}
	return 0
}

// lines returns the number of rows in a window of an aggregator that has planes planes of n rows.
func (o Options) lines(n, planes int) int { return min(max(1, int(o.Buffer/int64(point*n))), planes*n) }

// norms holds the official norms of the error, the means over all appends.
var norms = map[npb.Class][5]float64{
	npb.S: {1.149036328945e+01, 9.156788904727e-01, 2.857899428614e+00, 2.598273346734e+00, 2.652795397547e+01},
	npb.W: {6.729594398612e+01, 5.264523081690e+00, 1.677107142637e+01, 1.508721463436e+01, 1.477018363393e+02},
	npb.A: {6.482218724961e+01, 5.066461714527e+00, 1.613931961359e+01, 1.452010201481e+01, 1.420099377681e+02},
	npb.B: {1.477545106464e+02, 1.108895555053e+01, 3.698065590331e+01, 3.310505581440e+01, 3.157928282563e+02},
	npb.C: {2.597156483475e+02, 1.985384289495e+01, 6.517950485788e+01, 5.757235541520e+01, 5.215668188726e+02},
	npb.D: {3.813781566713e+02, 3.160872966198e+01, 9.593576357290e+01, 8.363391989815e+01, 7.063466087423e+02},
	npb.E: {4.729898413058e+02, 4.145899331704e+01, 1.192850917138e+02, 1.032746026932e+02, 8.270322177634e+02},
}
