package fdtd

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"gobench/internal/remedy"
	"gobench/kernels/application"
	"gobench/nearest"
	"gobench/record"
)

func init() {
	application.Register(application.Application{
		Name:  "fdtd",
		Short: "FDTD: Maxwell's equations in two dimensions on a grid, verified",
		Example: `  gobench fdtd                                   512x512 points over shared memory, a rank on each of up to 4 cores
  gobench fdtd --grid=4096x4096 --steps=200 -n 1,2,4   strong scaling: speedup and efficiency
  gobench fdtd --size=large --real=double -n 4 --dry-run   the memory that it needs
  gobench fdtd --weak -n 4                       512x512 points for each core: efficiency against serial copies
  gobench fdtd --transport=tcp --blocks=1x4 --every=100 --pictures=field`,
		Long: "Maxwell's equations in two dimensions by Yee's scheme: a Ricker wavelet in free space within perfectly conducting walls, in blocks that exchange their sides in every step. " +
			"A run that is not verified has no result and ends with exit code 3. Speedup and efficiency refer to the last run on one rank in the file of records.",
		New: func() application.Options {
			return &flags{size: "small", real: "single", wavelength: Wavelength, dir: here}
		},
	})
}

// flags are the flags of gobench fdtd.
type flags struct {
	size       string // name of a problem
	grid       string // "4096x2048", "" = the grid of the problem
	steps      int    // 0 = the steps of the problem
	real       string // "single" or "double"
	source     string // "X,Y", "" = the middle
	wavelength float64
	blocks     string // "2x2", "" = chosen
	weak       bool
	every      int    // steps between pictures, 0 = none
	dir        string // of the pictures
}

// here is the directory of the images where the user names none.
const here = "."

// Flags implements application.Options.
func (f *flags) Flags(set *pflag.FlagSet) {
	set.StringVar(&f.size, "size", f.size, "`NAME` problem size: small (512x512, 500 steps), medium (4096x4096, 200 steps), large (16384x8192, 2500 steps)")
	set.StringVar(&f.grid, "grid", f.grid, fmt.Sprintf("`NXxNY` grid points, instead of those of %v", remedy.Named("size")))
	set.IntVar(&f.steps, "steps", f.steps, fmt.Sprintf("`N` time steps; 0 = those of %v", remedy.Named("size")))
	set.StringVar(&f.real, "real", f.real, "`PRECISION` floating-point precision: single or double")
	set.StringVar(&f.source, "source", f.source, "`X,Y` position of the source (default: the middle)")
	set.Float64Var(&f.wavelength, "wavelength", f.wavelength, "`CELLS` wavelength at the peak frequency of the source")
	set.StringVar(&f.blocks, "blocks", f.blocks, "`XxY` decomposition into blocks, one per rank (default: the fastest by a cost model)")
	set.BoolVar(&f.weak, "weak", false, "weak scaling: a grid of this size for each core (ranks x threads), and with one thread as many independent serial copies to compare with")
	set.IntVar(&f.every, "every", f.every, "`N` write an image of the field every N steps of the first run, outside the timed part; 0 = none")
	set.StringVar(&f.dir, "pictures", f.dir, "`DIRECTORY` directory for the images (PNG)")
}

// Jobs implements application.Options.
func (f *flags) Jobs(r application.Request) ([]application.Job, error) {
	p, o, err := f.read()
	if err != nil {
		return nil, err
	}
	var jobs []application.Job
	serial := ""
	if f.weak {
		if o.Blocks != (Blocks{}) {
			return nil, remedy.Errorf("%v chooses the blocks: leave %v out", remedy.Named("weak"), remedy.Set("blocks", o.Blocks))
		}
		if err := p.Check(); err != nil {
			return nil, err
		}
		copies := o
		copies.Every = 0
		one := job(p, copies, true)
		serial = one.Label
		if r.Threads <= 1 { // else other runs on as many cores have the copies
			jobs = append(jobs, one)
		}
		p = p.Grow(r.Ranks * max(1, r.Threads))
	}
	if err := o.Check(p, r.Ranks); err != nil {
		return nil, err
	}
	all := job(p, o, false)
	all.Serial = serial
	return append(jobs, all), nil
}

func job(p Problem, o Options, copies bool) application.Job {
	grid := fmt.Sprintf("%dx%d", p.NX, p.NY)
	label := fmt.Sprintf("%sx%d-%s", grid, p.Steps, o.Precision)
	return application.Job{
		Program: p.Program(o),
		Factors: func(point *record.Point) {
			point.Grid, point.Steps, point.Real = grid, p.Steps, o.Precision
			point.Source, point.Wavelength = fmt.Sprintf("%d,%d", p.Source.X, p.Source.Y), p.Source.Wavelength
		},
		Label:  label,
		Copies: copies,
	}
}

// read converts the flags to a problem and options.
func (f *flags) read() (p Problem, o Options, err error) {
	known := Sizes()
	at := slices.IndexFunc(known, func(s Size) bool { return s.Name == f.size })
	if at < 0 {
		var names []string
		for _, s := range known {
			names = append(names, s.Name)
		}
		return p, o, &nearest.UnknownError{What: "size", Name: f.size, Known: names}
	}
	p = known[at].Problem
	if f.grid != "" {
		grid, ok := numberPair(f.grid, "x")
		if !ok {
			return p, o, remedy.Errorf("%v is %q, want the number of points in x and in y, such as 4096x2048", remedy.Named("grid"), f.grid)
		}
		p = NewProblem(grid[0], grid[1], p.Steps)
	}
	if f.steps != 0 {
		p.Steps = f.steps
	}
	if f.source != "" {
		at, ok := numberPair(f.source, ",")
		if !ok {
			return p, o, remedy.Errorf("%v is %q, want a point such as 100,200", remedy.Named("source"), f.source)
		}
		p.Source.X, p.Source.Y = at[0], at[1]
	}
	p.Source.Wavelength = f.wavelength
	if !slices.Contains(Precisions, f.real) {
		return p, o, &nearest.UnknownError{What: "precision", Name: f.real, Known: Precisions}
	}
	o.Precision = f.real
	if f.blocks != "" {
		blocks, ok := numberPair(f.blocks, "x")
		if !ok || blocks[0] < 1 || blocks[1] < 1 {
			return p, o, remedy.Errorf("%v is %q, want blocks each way, such as 2x2", remedy.Named("blocks"), f.blocks)
		}
		o.Blocks = Blocks{X: blocks[0], Y: blocks[1]}
	}
	if f.every < 0 {
		return p, o, remedy.Errorf("%v is %d, want a number of steps, or 0 for no pictures", remedy.Named("every"), f.every)
	}
	if f.dir != here && f.every == 0 {
		return p, o, remedy.Errorf("%v needs %v, the number of steps between images", remedy.Named("pictures"), remedy.Named("every"))
	}
	o.Every, o.Picture = f.every, f.writePicture
	return p, o, nil
}

// writePicture writes a picture into the directory, which it creates if necessary.
func (f *flags) writePicture(step int, p *Picture) error {
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return fmt.Errorf("no picture can be written: %w", err)
	}
	file, err := os.Create(filepath.Join(f.dir, fmt.Sprintf("ez-%06d.png", step)))
	if err != nil {
		return fmt.Errorf("no picture can be written: %w", err)
	}
	_, err = p.WritePNG(file)
	err = cmp.Or(err, file.Close())
	if err != nil {
		return fmt.Errorf("picture %s is not complete: %w", file.Name(), err)
	}
	return nil
}

// numberPair reads two numbers.
func numberPair(s, between string) (list [2]int, ok bool) {
	a, b, found := strings.Cut(s, between)
	if !found {
		return list, false
	}
	var err error
	for i, word := range []string{a, b} {
		if list[i], err = strconv.Atoi(strings.TrimSpace(word)); err != nil {
			return list, false
		}
	}
	return list, true
}
