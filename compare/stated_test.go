package compare

import (
	"strings"
	"testing"

	"gobench/record"
)

// variants returns a log of one size and launch for each value of a factor.
func variants(name string, seed uint64, set func(p *record.Point, value string), values ...string) Source {
	all := Source{name, &record.File{}}
	for i, value := range values {
		s := imported(campaign{name: name + value, launches: 1, sizes: 1}.source(seed + uint64(i)))
		for j := range s.File.Points {
			set(&s.File.Points[j], value)
		}
		all.File.Append(s.File)
	}
	return all
}

func setSync(p *record.Point, value string) {
	p.Options = nil
	if value != "" {
		p.Options = map[string]string{"sync": value}
	}
}

func setRoot(p *record.Point, value string) { p.Root = value }

// What logs state separates cells, as it separates the rows of a table. A log that does not state
// it meets all of them.
func TestWhatLogsStateSeparatesCells(t *testing.T) {
	for _, c := range []struct {
		about string
		set   func(p *record.Point, value string)
		a, b  []string
		cells string // values of the factor, sorted
	}{
		{"an option of both", setSync, []string{"fence", "flush"}, []string{"fence", "flush"}, "fence flush"},
		{"in another order", setSync, []string{"flush", "fence"}, []string{"fence", "flush"}, "fence flush"},
		{"only one side states it", setSync, []string{"fence", "flush"}, []string{""}, "fence flush"},
		{"one value of each", setSync, []string{"fence"}, []string{"flush"}, ""},
		{"a factor that was asked for", setRoot, []string{"0", "1"}, []string{"1", "0"}, "0 1"},
		{"that only one side states", setRoot, []string{"0"}, []string{""}, "0"},
		{"that contradicts", setRoot, []string{"0"}, []string{"1"}, "none"},
	} {
		r := mustCompare(t, Options{}, variants("a", 1, c.set, c.a...), variants("b", 10, c.set, c.b...))
		var values []string
		for i := range r.Rows {
			row := &r.Rows[i]
			if row.NA != 1 || row.NB != 1 {
				t.Errorf("%s: %d and %d launches in %s", c.about, row.NA, row.NB, row.Cell)
			}
			values = append(values, row.Cell.Factor("options.sync")+row.Cell.Factor("root"))
		}
		if len(r.Rows) == 0 {
			values = []string{"none"}
		}
		if got := strings.Join(values, " "); got != c.cells {
			t.Errorf("%s: cells %q, want %q", c.about, got, c.cells)
		}
	}
}

// Own results meet each variant of a log.
func TestOwnResultsMeetVariantsOfALog(t *testing.T) {
	logs := variants("mpi", 1, setSync, "fence", "flush")
	own := campaign{name: "own", launches: 6, sizes: 1}.source(20)
	for i := range own.File.Points {
		own.File.Points[i].Options = map[string]string{"nodelay": []string{"on", "off"}[i%2]}
	}
	r := mustCompare(t, Options{By: "library", Base: "gobench"}, logs, own)
	seen := map[string]bool{}
	for i := range r.Rows {
		seen[r.Rows[i].Cell.Factor("options.sync")+" "+r.Rows[i].Cell.Factor("options.nodelay")] = true
	}
	if len(r.Rows) != 4 || len(seen) != 4 {
		t.Errorf("%d rows: %v", len(r.Rows), seen)
	}
}

// Options that follow from the transport are not named beside it.
func TestOptionsOfSeveralTransportsAreImplied(t *testing.T) {
	logs := imported(campaign{name: "mpi", launches: 1, sizes: 1}.source(1))
	var own []Source
	for i, transport := range []string{"smem", "tcp"} {
		s := campaign{name: transport, launches: 6, sizes: 1}.source(uint64(2 + i))
		for j := range s.File.Points {
			p := &s.File.Points[j]
			p.Transport, p.Options = transport, map[string]string{"of " + transport: "on"}
		}
		own = append(own, s)
	}
	for i := range logs.File.Points {
		logs.File.Points[i].Transport = "mpi"
	}
	r := mustCompare(t, Options{By: "library", Base: "gobench"}, append(own, logs)...)
	if len(r.Rows) != 2 {
		t.Fatalf("%d rows", len(r.Rows))
	}
	for i := range r.Rows {
		if name := r.Rows[i].Cell.String(); strings.Contains(name, "of ") || !strings.Contains(name, r.Rows[i].Cell.Factor("transport")) {
			t.Errorf("cell %q", name)
		}
	}
}
