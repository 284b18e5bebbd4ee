package published_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gobench/internal/report/cell"
	"gobench/internal/report/figure"
	"gobench/internal/report/figure/figuretest"
	"gobench/internal/report/price"
	"gobench/internal/report/published"
	"gobench/nearest"
	"gobench/record"
)

// records returns records of all benchmarks that these figures show.
func records() *cell.Set {
	s := cell.NewSet()
	s.Add("a.jsonl", figuretest.PingPong(6))
	s.Add("b.jsonl", figuretest.Collectives())
	s.Add("c.jsonl", figuretest.Kernels())
	s.Add("d.jsonl", figuretest.Startup())
	s.Add("e.jsonl", figuretest.Storage())
	s.Cost = &cell.Cost{
		Book:    &price.Book{Name: "test", Currency: "USD", Prices: []price.Price{{Type: "a", Option: "on-demand", PerHour: 2}}},
		Cluster: &price.Cluster{Name: "one", Nodes: []price.Node{{Type: "a", Cores: 16, Count: 1}}},
	}
	return s
}

// Figures that these records allow are drawn, each with its caption and the stated values of the
// original: as lines and marks within the axes, in the caption beyond them.
func TestFigures(t *testing.T) {
	s := records()
	for name, want := range map[string]struct {
		caption string
		marks   int // stated values that are drawn
	}{
		"thesis-1.3":  {"niodev, IPoIB: 65 µs", 8},
		"thesis-1.6":  {"all, 10 GbE: about 9.4 Gbit/s (1.175 GB/s)", 13},
		"thesis-1.7":  {"Broadcast performance", 0},
		"thesis-1.8":  {"beyond the axes here: MG, FastMPJ and MPI, IB QDR: speedup more than 300 on 512 cores", 0},
		"thesis-1.13": {"by 24 % on 256 cores", 0},
		"thesis-1.19": {"Price book test", 0},
		"thesis-2.13": {"CG, niodev, IPoIB: less than 4000 Mop/s on 64 cores", 3},
		"ibvdev-13":   {"CG, niodev, IPoIB: less than 4000 Mop/s on 64 cores", 3},
		"thesis-3.2":  {"FastMPJ with its daemons: less than 35 s on 1024 cores", 0},
		"thesis-3.3":  {"smdev, Intel: 71.2 Gbit/s (8.9 GB/s) at 32 KiB", 20},
		"thesis-5.3":  {"CG, F-MPJ: about 1 of the reference", 1},
		"thesis-5.5":  {"Aggregated bandwidth", 0},
		"thesis-7.6":  {"CG, best, CC1: speedup 22 on 64 cores", 1},
		"thesis-8.7":  {"at 64 ranks: 254 to 271 MB/s", 0},
		"thesis-8.8":  {"Price book test", 0},
		"thesis-1.24": {"at 64 ranks: 254 to 271 MB/s", 0},
		"thesis-1.25": {"price-date=2012", 0},
		"thesis-7.8":  {"2.40 USD/h for a CC2 instance on demand", 0},
		"thesis-9.7":  {"FLASH-IO: more than 830 MB/s", 0},
		"devices-10":  {"Java, 4096 x 4096, 200 steps: 179 s on 1 core", 2},
		"fmpj-12":     {"5.8 (bcast, 1 KB)", 0},
		"jfs-5":       {"JFS: 6 µs", 2},
		"jfs-12":      {"sockets of the JVM, bytes: less than 6 Gbit/s", 5},
	} {
		figures, err := published.Named(s, name)
		if err != nil || len(figures) == 0 {
			t.Errorf("%s: %d figures, %v", name, len(figures), err)
			continue
		}
		f := figures[0]
		if !strings.HasPrefix(f.Name, name) || !strings.HasPrefix(f.Title, "After figure "+name[strings.Index(name, "-")+1:]+" of ") {
			t.Errorf("%s is called %s, %q", name, f.Name, f.Title)
		}
		if !strings.Contains(f.Caption, want.caption) {
			t.Errorf("%s: no %q in %s", name, want.caption, f.Caption)
		}
		_, marks := f.SVG()
		drawn := 0
		for _, m := range marks {
			if strings.HasPrefix(m.Text, "stated: ") {
				drawn++
			}
		}
		if drawn != want.marks {
			t.Errorf("%s: %d stated values are drawn, want %d: %s", name, drawn, want.marks, f.Caption)
		}
		if said := strings.Contains(f.Caption, "for reference ("); said != (drawn > 0) {
			t.Errorf("%s: the caption says %v of an overlay of %d", name, said, drawn)
		}
	}
}

// Latencies and bandwidths that are separate figures have one panel, with the axis of sizes.
func TestOnePanel(t *testing.T) {
	for name, label := range map[string]string{"jfs-5": "half round trip, µs", "jfs-6": "bandwidth, GB/s"} {
		figures, err := published.Named(records(), name)
		if err != nil || len(figures) != 1 || len(figures[0].Rows) != 1 {
			t.Fatal(name, figures, err)
		}
		if p := figures[0].Rows[0][0]; p.YLabel != label || p.XLabel != "message size" {
			t.Errorf("%s: %q over %q", name, p.YLabel, p.XLabel)
		}
	}
}

// The arrays of bytes and of numbers of Java Fast Sockets and F-MPJ are lines of one figure.
func TestPayloadsAreLinesOfOneFigure(t *testing.T) {
	s := cell.NewSet()
	for _, bench := range []string{"pingpong", "ints", "doubles"} {
		file := figuretest.PingPong(1)
		for i := range file.Points {
			file.Points[i].Bench = bench
		}
		s.Add(bench+".jsonl", file)
	}
	for name, lines := range map[string]int{"jfs-11": 3, "jfs-12": 3, "fmpj-11": 2} {
		figures, err := published.Named(s, name)
		if err != nil || len(figures) != 1 {
			t.Fatalf("%s: %d figures, %v", name, len(figures), err)
		}
		benches := map[string]bool{}
		for _, k := range figures[0].Keys {
			for _, bench := range []string{"pingpong", "ints", "doubles"} {
				benches[bench] = benches[bench] || strings.Contains(k.Name, bench)
			}
		}
		if n := len(slices.DeleteFunc(slices.Collect(maps.Values(benches)), func(has bool) bool { return !has })); n != lines {
			t.Errorf("%s has lines of %d benchmarks, want %d", name, n, lines)
		}
	}
}

// All figures of the thesis' chapters 2 to 7 and of its papers that show data have an entry, and
// those of BT-IO in chapters 8 and 9.
func TestAllFiguresHaveAnEntry(t *testing.T) {
	for prefix, numbers := range map[string][2]int{
		"thesis-2.": {10, 14}, "thesis-3.": {2, 10}, "thesis-4.": {8, 10}, "thesis-5.": {2, 8}, "thesis-6.": {4, 6}, "thesis-7.": {3, 11},
		"thesis-8.": {7, 8}, "thesis-9.": {7, 7}, "thesis-1.": {24, 25},
		"devices-": {3, 11}, "fmpj-": {11, 14}, "ibvdev-": {10, 14}, "jfs-": {5, 15},
	} {
		for n := numbers[0]; n <= numbers[1]; n++ {
			name := fmt.Sprint(prefix, n)
			if _, err := published.Named(cell.NewSet(), name); err != nil {
				t.Error(err)
			}
			if why := published.Lacks(cell.NewSet(), name); !strings.HasPrefix(why, "it needs ") {
				t.Errorf("%s: %s", name, why)
			}
		}
	}
}

// Figures of BT-IO have the panels of the original: bandwidth and Mop/s, bandwidth for the price by
// payment option, and both.
func TestFiguresOfStorage(t *testing.T) {
	s := records()
	s.Cost.Book.Prices = append(s.Cost.Book.Prices, price.Price{Type: "a", Option: "spot", PerHour: 1}, price.Price{Type: "a", Option: "reserved", PerHour: 0.5})
	const bandwidth, rate, paid = "aggregated bandwidth, MB/s", "Mop/s", "MB/s for 1 USD/h (more is better)"
	for name, want := range map[string][][]string{
		"thesis-8.7": {{bandwidth, rate}}, "thesis-8.8": {{paid, paid}}, "thesis-9.7": {{bandwidth, rate}, {paid, paid}},
	} {
		figures, err := published.Named(s, name)
		var got [][]string
		for _, f := range figures {
			for _, row := range f.Rows {
				var labels []string
				for _, p := range row {
					labels = append(labels, p.YLabel)
				}
				got = append(got, labels)
			}
		}
		if err != nil || !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s has the panels %q (%v), want %q", name, got, err, want)
		}
	}
}

func TestMissingFigures(t *testing.T) {
	if figures, err := published.Named(records(), "thesis-1.16"); err != nil || len(figures) != 0 {
		t.Errorf("IS was drawn without records of IS: %d figures, %v", len(figures), err)
	}
	for _, name := range []string{"thesis-9.99", "jfs-1", "devices-"} {
		_, err := published.Named(records(), name)
		if _, ok := errors.AsType[*nearest.UnknownError](err); !ok || !published.Is(name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if published.Is("pingpong") || published.Is("") {
		t.Error("a kind of figures is that of a publication")
	}
}

// Bounds of weak scaling are on the panel of efficiencies.
func TestBoundOfWeakScaling(t *testing.T) {
	f := figuretest.Kernels()
	for i := range f.Points {
		if p := &f.Points[i]; p.Bench == "cg" {
			p.Bench = "npb/ft"
		}
	}
	s := cell.NewSet()
	s.Add("a.jsonl", f)
	figures, err := published.Named(s, "thesis-3.10")
	if err != nil || len(figures) != 1 {
		t.Fatal(figures, err)
	}
	if want := "a FT, bound: 32 serial copies are 21 times as fast as one: 65.62 % on 32 cores"; !strings.Contains(figures[0].Caption, want) {
		t.Error(figures[0].Caption)
	}
	panel := figures[0].Rows[0][1]
	if _, last := panel.Layers[len(panel.Layers)-1].(figure.Overlay); !last || panel.X.Max != 32 {
		t.Errorf("the axis ends at %g ranks", panel.X.Max)
	}
}

// The name of a work selects all of its figures.
func TestWorks(t *testing.T) {
	for _, work := range published.Works() {
		figures, err := published.Named(records(), work)
		if err != nil || len(figures) < 2 {
			t.Errorf("%s: %d figures, %v", work, len(figures), err)
		}
		for _, f := range figures {
			if !strings.HasPrefix(f.Name, work+"-") {
				t.Errorf("%s has a figure %s", work, f.Name)
			}
		}
	}
}

// Figures have lines of MPI libraries beside those of gobench: over shared memory in the figures of
// shared memory, over TCP in those of networks, over both if the original has both.
func TestLinesOfMPI(t *testing.T) {
	f := figuretest.PingPong(6)
	for _, p := range slices.Clone(f.Points) {
		for library, options := range map[string]map[string]string{
			"MPICH over tcp":    {"UCX_TLS": "tcp,self"},
			"Open MPI over tcp": {"OMPI_MCA_btl": "self,tcp"},
			"Open MPI inside":   {"OMPI_MCA_btl": "self,vader"},
			"MPICH inside":      {},
		} {
			if q := p; q.Transport == "smem" {
				q.Transport, q.Level, q.Options = "mpi", "comm", options
				options["library"] = library
				f.Points = append(f.Points, q)
			}
		}
	}
	s := cell.NewSet()
	s.Add("a.jsonl", &record.File{Runs: f.Runs, Points: f.Points})
	network, memory := []string{"MPICH over tcp", "Open MPI over tcp", "tcp"}, []string{"MPICH inside", "Open MPI inside", "smem"}
	for name, want := range map[string][]string{"thesis-6.4": network, "thesis-6.5": memory, "thesis-3.3": slices.Concat(network, memory)} {
		figures, err := published.Named(s, name)
		if err != nil || len(figures) != 1 {
			t.Fatal(figures, err)
		}
		lines := 0
		for _, k := range figures[0].Keys {
			if k.Name == "stated in its text" {
				continue
			}
			lines++
			if !slices.ContainsFunc(want, func(w string) bool { return strings.Contains(k.Name, w) }) {
				t.Errorf("%s has a line %s", name, k.Name)
			}
		}
		if lines < len(want) {
			t.Errorf("%s has %d lines, want those of %v", name, lines, want)
		}
	}
}

// Captions that are quoted are those that were printed.
func TestQuotedCaptions(t *testing.T) {
	s := records()
	for name, caption := range map[string]string{
		"thesis-8.7":  "BT-IO performance on Amazon EC2 CC and high I/O instances",
		"thesis-8.8":  "BT-IO productivity using on-demand, spot and reserved instances",
		"thesis-9.7":  "NPB BT-IO and FLASH-IO results using OrangeFS with 4 I/O servers",
		"thesis-1.24": "Performance of the NPB BT-IO kernel on Amazon EC2",
		"thesis-1.25": "Productivity of the NPB BT-IO kernel using on-demand, spot (S) and reserved (R) EC2 instances",
		"devices-10":  "Execution times and scalability of Message-Passing Interface/Message Passing in Java finite-difference time-domain (MPI/MPJ FDTD) on the Finis Terrae",
	} {
		figures, err := published.Named(s, name)
		if err != nil || len(figures) == 0 || !strings.Contains(figures[0].Caption, fmt.Sprintf("The original: %q.", caption)) {
			t.Errorf("%s does not quote %q: %v", name, caption, err)
		}
	}
}

// Where gobench has no program for a figure, the advice is to import records.
func TestAdviceNamesNoProgramThatDoesNotExist(t *testing.T) {
	for name, want := range map[string]string{
		"thesis-1.14": "it needs imported records of gadget, which gobench does not measure",
		"fmpj-13":     "it needs imported records of crypt, lufact, which gobench does not measure",
		"thesis-9.7":  "it needs BT-IO (gobench npb bt-io); of bt-io",
	} {
		if why := published.Lacks(cell.NewSet(), name); why != want {
			t.Errorf("%s: %s, want %s", name, why, want)
		}
	}
}

// Figures of chapters 3 and 5 have lines over cores: a rank with four threads is not a point at one
// rank, and its speedup equals that of four cores.
func TestThreadsAreCores(t *testing.T) {
	f := figuretest.Hybrid()
	for i := range f.Points {
		f.Points[i].Bench = strings.NewReplacer("bt-mz", "mg", "bt", "cg").Replace(f.Points[i].Bench)
	}
	s := cell.NewSet()
	s.Add("a.jsonl", f)
	for _, name := range []string{"thesis-3.7", "thesis-3.8", "thesis-5.6", "thesis-5.7"} {
		figures, err := published.Named(s, name)
		if err != nil || len(figures) != 1 || len(figures[0].Rows) != 2 {
			t.Fatal(name, figures, err)
		}
		highest := 0.0
		for _, l := range figures[0].Rows[1][1].Layers { // speedup of MG
			if c, ok := l.(figure.Curve); ok {
				for _, p := range c.Cells {
					if threads := p.Points[0].Threads; p.X != float64(p.Points[0].Ranks*max(1, threads)) {
						t.Errorf("%s: %d ranks of %d threads are at %g cores", name, p.Points[0].Ranks, threads, p.X)
					} else if p.Points[0].Ranks == 1 {
						highest = max(highest, p.Median)
					}
				}
			}
		}
		if highest < 3 {
			t.Errorf("%s: the threads of one rank have a speedup of %g", name, highest)
		}
	}
}

// Figures 7.5 and 7.10 show rates, also of one library.
func TestSerialRates(t *testing.T) {
	s := cell.NewSet()
	f := figuretest.Kernels()
	f.Points = slices.DeleteFunc(f.Points, func(p record.Point) bool { return p.Library != "" })
	s.Add("a.jsonl", f)
	figures, err := published.Named(s, "thesis-7.5")
	if err != nil || len(figures) != 1 {
		t.Fatal(figures, err)
	}
	p := figures[0].Rows[0][0]
	heights := map[string]float64{}
	for _, l := range p.Layers {
		if b, ok := l.(figure.Bar); ok {
			heights[b.Text] = b.High
		}
	}
	if p.YLabel != "Mop/s" || len(heights) != 2 {
		t.Errorf("%s, bars %v", p.YLabel, heights)
	}
	for text, high := range heights {
		if high < 1000 {
			t.Errorf("%s: a bar of %g Mop/s", text, high)
		}
	}
}
