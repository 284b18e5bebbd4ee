package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gobench/record"
)

// variant returns a campaign of one transport, label and set of options, by one of several settings
// of a sweep. Its launches alternate with those of others of the same hour.
func variant(transport, label string, us float64, options map[string]string) Source {
	s := campaign{name: transport + label, launches: 6, sizes: 2, sigma: 0.002, slow: always(us), turns: true}.source(uint64(len(transport + label)))
	for i := range s.File.Points {
		p := &s.File.Points[i]
		p.Transport, p.Level, p.Options, p.Block = transport, "comm", options, p.Launch
	}
	for i := range s.File.Runs {
		s.File.Runs[i].Label = label
	}
	return s
}

func join(name string, sources ...Source) Source {
	all := Source{name, &record.File{}}
	for _, s := range sources {
		all.File.Runs, all.File.Points = append(all.File.Runs, s.File.Runs...), append(all.File.Points, s.File.Points...)
	}
	return all
}

func mpi(label string, us float64) Source {
	return variant("mpi", label, us, map[string]string{"library": label, "version": label + " 4.0 configured " + strings.Repeat("with much ", 30)})
}

// describe returns "side/base cell ratio" of each row.
func describe(r *Result) (list []string) {
	for _, row := range r.Rows {
		list = append(list, fmt.Sprintf("%s/%s %s: %.1f", row.Side, row.Base, row.Cell, row.Ratio.Median))
	}
	return list
}

// A second library with options and a label of its own does not change what the others are compared
// with, by any of the factors in which they differ, and is a row of its own.
func TestASecondLibraryIsARowOfItsOwn(t *testing.T) {
	smem, tcp := variant("smem", "", 1, map[string]string{"copy": "cma"}), variant("tcp", "", 10, map[string]string{"nodelay": "on"})
	one := join("one", smem, tcp, mpi("Open MPI", 2))
	two := join("two", smem, tcp, mpi("Open MPI", 2), mpi("MPICH", 5))
	for _, c := range []struct {
		by, base string
		in       Source
		want     []string
	}{
		{"transport", "smem", one, []string{
			"mpi/smem pingpong comm 8 B 2 ranks: 2.0", "tcp/smem pingpong comm 8 B 2 ranks: 10.0",
			"mpi/smem pingpong comm 16 B 2 ranks: 2.0", "tcp/smem pingpong comm 16 B 2 ranks: 10.0"}},
		{"transport", "smem", two, []string{
			"tcp/smem pingpong comm 8 B 2 ranks: 10.0", "tcp/smem pingpong comm 16 B 2 ranks: 10.0",
			"mpi/smem pingpong comm 8 B 2 ranks label=MPICH: 5.0", "mpi/smem pingpong comm 16 B 2 ranks label=MPICH: 5.0",
			"mpi/smem pingpong comm 8 B 2 ranks label=Open MPI: 2.0", "mpi/smem pingpong comm 16 B 2 ranks label=Open MPI: 2.0"}},
		{"transport", "mpi", two, []string{
			"smem/mpi pingpong comm 8 B 2 ranks label=MPICH: 0.2", "tcp/mpi pingpong comm 8 B 2 ranks label=MPICH: 2.0",
			"smem/mpi pingpong comm 16 B 2 ranks label=MPICH: 0.2", "tcp/mpi pingpong comm 16 B 2 ranks label=MPICH: 2.0",
			"smem/mpi pingpong comm 8 B 2 ranks label=Open MPI: 0.5", "tcp/mpi pingpong comm 8 B 2 ranks label=Open MPI: 5.0",
			"smem/mpi pingpong comm 16 B 2 ranks label=Open MPI: 0.5", "tcp/mpi pingpong comm 16 B 2 ranks label=Open MPI: 5.0"}},
		{"label", "MPICH", two, []string{
			"Open MPI/MPICH pingpong mpi comm 8 B 2 ranks: 0.4", "Open MPI/MPICH pingpong mpi comm 16 B 2 ranks: 0.4",
			"/MPICH pingpong comm 8 B 2 ranks smem: 0.2", "/MPICH pingpong comm 16 B 2 ranks smem: 0.2",
			"/MPICH pingpong comm 8 B 2 ranks tcp: 2.0", "/MPICH pingpong comm 16 B 2 ranks tcp: 2.0"}},
		{"library", "gobench", two, []string{
			"MPICH/gobench pingpong comm 8 B 2 ranks smem: 5.0", "MPICH/gobench pingpong comm 16 B 2 ranks smem: 5.0",
			"MPICH/gobench pingpong comm 8 B 2 ranks tcp: 0.5", "MPICH/gobench pingpong comm 16 B 2 ranks tcp: 0.5",
			"Open MPI/gobench pingpong comm 8 B 2 ranks smem: 2.0", "Open MPI/gobench pingpong comm 16 B 2 ranks smem: 2.0",
			"Open MPI/gobench pingpong comm 8 B 2 ranks tcp: 0.2", "Open MPI/gobench pingpong comm 16 B 2 ranks tcp: 0.2"}},
		{"options.library", "MPICH", two, []string{
			"Open MPI/MPICH pingpong mpi comm 8 B 2 ranks: 0.4", "Open MPI/MPICH pingpong mpi comm 16 B 2 ranks: 0.4",
			"/MPICH pingpong comm 8 B 2 ranks smem: 0.2", "/MPICH pingpong comm 16 B 2 ranks smem: 0.2",
			"/MPICH pingpong comm 8 B 2 ranks tcp: 2.0", "/MPICH pingpong comm 16 B 2 ranks tcp: 2.0"}},
	} {
		r := mustCompare(t, Options{By: c.by, Base: c.base}, c.in)
		got := describe(r)
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) || len(r.Missing) > 0 {
			t.Errorf("--by=%s --base=%s of %s:\n%s\nwant\n%s\nmissing %v", c.by, c.base, c.in.Name, strings.Join(got, "\n"), strings.Join(c.want, "\n"), r.Missing)
		}
	}
}

// Two files that differ in the transport, the library, the host or the program are compared, and
// the factor is named. A gate is not decided by another transport.
func TestFilesThatDifferInOneFactor(t *testing.T) {
	smem, tcp := variant("smem", "", 1, map[string]string{"copy": "cma"}), variant("tcp", "x", 10, nil)
	smem.Name, tcp.Name = "smem", "tcp"
	for _, s := range []Source{smem, tcp} {
		for i := range s.File.Runs {
			s.File.Runs[i].Program = map[string]any{"sha256": "abc"}
		}
	}
	other := campaign{name: "other", launches: 6, sizes: 2, host: "n2", slow: always(3)}.source(1)
	for i := range other.File.Points {
		other.File.Points[i].Transport, other.File.Points[i].Level = "tcp", "comm"
	}
	logs := imported(campaign{name: "logs", launches: 6, sizes: 2, slow: always(2)}.source(1))
	for i := range logs.File.Points {
		logs.File.Points[i].Transport, logs.File.Points[i].Level = "mpi", "comm"
	}
	both := join("both", smem, tcp)
	for _, c := range []struct {
		a, b Source
		rows int
		want string // warning
	}{
		{smem, tcp, 2, "smem has transport smem, tcp has tcp: the cells are compared by transport"},
		{tcp, other, 2, "host.hostname (n1, n2)"},
		{tcp, logs, 2, "tcp has library gobench, logs has Open MPI: the cells are compared by library"},
		{logs, both, 4, "logs has transport mpi, both has smem, tcp: the cells are compared by transport"},
		{both, tcp, 2, "tcp lacks 2 cells of the others"}, // a transport in common: no other is compared
	} {
		r := mustCompare(t, Options{Gate: true}, c.a, c.b)
		if len(r.Rows) != c.rows || !strings.Contains(strings.Join(r.Warnings, "\n"), c.want) {
			t.Errorf("%s and %s: %q, warnings %q, want %q", c.a.Name, c.b.Name, describe(r), r.Warnings, c.want)
		}
		if strings.Contains(strings.Join(r.Warnings, "\n"), "same program") && strings.Contains(c.want, "compared by") {
			t.Errorf("%s and %s: %q", c.a.Name, c.b.Name, r.Warnings)
		}
		if strings.Contains(c.want, "compared by") && (r.Gate.Conclusion != Noisy || !strings.Contains(r.Gate.Why, "compared by")) {
			t.Errorf("%s and %s: %+v", c.a.Name, c.b.Name, r.Gate)
		}
	}
}

// The message of an empty comparison is short, and the command that it names compares cells.
func TestTheCommandThatWorksIsNamed(t *testing.T) {
	level := variant("mpi", "device level", 3, nil)
	for i := range level.File.Points {
		level.File.Points[i].Level = "device"
	}
	level.Name = "my level.jsonl"
	all := []Source{join("a.jsonl", mpi("MPICH", 1), mpi("Open MPI", 2)), level}
	r := mustCompare(t, Options{}, all...)
	const want = "; gobench compare a.jsonl 'my level.jsonl' by=level compares 4 cells"
	if len(r.Rows) != 0 || !strings.HasSuffix(r.Nothing(), want) || len(r.Nothing()) > 6*80 {
		t.Errorf("%d rows: %q", len(r.Rows), r.Nothing())
	}
	if r := mustCompare(t, Options{By: "level"}, all...); len(r.Rows) != 4 {
		t.Errorf("%q", describe(r))
	}
	one := mustCompare(t, Options{By: "transport"}, all[0])
	if one.Nothing() != "all results have transport mpi: there is no other value to compare it with; gobench compare a.jsonl by=library compares 2 cells" {
		t.Error(one.Nothing())
	}
}

// Base and order of the sides follow from their names, not from the order in which a sweep measured
// them; results of separate commands are in the order of time.
func TestBaseDoesNotDependOnTheOrder(t *testing.T) {
	reversed := func(s Source) Source {
		slices.Reverse(s.File.Runs)
		slices.Reverse(s.File.Points)
		return s
	}
	names := func(r *Result) (list []string) {
		for _, s := range r.Sides {
			list = append(list, s.Name)
		}
		return list
	}
	ranks := join("ranks", variant("tcp", "", 1, nil), variant("tcp", "", 2, nil))
	for i := range ranks.File.Points {
		ranks.File.Points[i].Ranks = []int{16, 2}[i/12]
	}
	day := func(label string, hours int) Source {
		s := variant("tcp", label, 1, nil)
		for i := range s.File.Points {
			s.File.Points[i].Block = 0
			s.File.Points[i].Time = s.File.Points[i].Time.Add(time.Duration(hours) * time.Hour)
		}
		return s
	}
	sweep := day("before", 0)
	for i := range sweep.File.Points {
		sweep.File.Points[i].Block = 1
	}
	for _, c := range []struct {
		by   string
		in   Source
		want string
	}{
		{"transport", join("x", variant("tcp", "", 2, nil), variant("smem", "", 1, nil)), "[smem tcp]"},
		{"ranks", ranks, "[2 16]"},
		{"library", join("x", imported(variant("tcp", "", 2, nil)), variant("tcp", "", 1, nil)), "[gobench Open MPI]"},
		{"label", join("x", day("before", 0), day("after", 1)), "[before after]"},
		{"label", join("x", day("before", 1), day("after", 0)), "[after before]"},
		{"label", join("x", sweep, day("after", 1)), "[after before]"}, // the order of a sweep is random
	} {
		for range 2 {
			if got := fmt.Sprint(names(mustCompare(t, Options{By: c.by}, c.in))); got != c.want {
				t.Errorf("--by=%s: %s, want %s", c.by, got, c.want)
			}
			c.in = reversed(c.in)
		}
	}
}

// The beginning of a commit names a side.
func TestShortCommit(t *testing.T) {
	const a, b = "055fad40aa11bb22cc33dd44ee55ff6677889900", "055fbd40aa11bb22cc33dd44ee55ff6677889900"
	all := []Source{campaign{name: "a", launches: 4, sizes: 1, commit: a}.source(1), campaign{name: "b", launches: 4, sizes: 1, commit: b}.source(2)}
	for base, want := range map[string]string{"055fbd40": b, "055fa": a, a: a} {
		if r := mustCompare(t, Options{By: "commit", Base: base}, all...); r.Sides[0].Name != want || len(r.Rows) != 1 {
			t.Errorf("%s: %+v", base, r.Sides)
		}
	}
	for base, want := range map[string]string{"055f": "is ambiguous", "055": "no result has", "feed": "no result has"} {
		if _, err := Compare(all, Options{By: "commit", Base: base}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", base, err)
		}
	}
	long := []Source{campaign{name: "a", launches: 4, sizes: 1, commit: "055fad40"}.source(1), all[1]}
	if r := mustCompare(t, Options{By: "commit", Base: a}, long...); r.Sides[0].Name != "055fad40" {
		t.Errorf("%+v", r.Sides)
	}
}

// The launches of two sides alternate if they change as often as in a random order, not if one side
// was measured around the other.
func TestAlternation(t *testing.T) {
	for order, want := range map[string]bool{
		"ABABABAB": true, "ABBAABBA": true, "BAABABBAABBA": true, "AAAABBBB": false, "ABBBBBBBBA": false, "AABBBBAA": false,
		"ABBBAAAAB": false, "ABBABBABB": true, "BABBBABBAB": true, "AB": false,
	} {
		var a, b []launch
		for i, side := range order {
			l := launch{time: testTime.Add(time.Duration(i) * time.Second)}
			if side == 'A' {
				a = append(a, l)
			} else {
				b = append(b, l)
			}
		}
		if got := alternate(a, b); got != want {
			t.Errorf("%s: %v", order, got)
		}
	}
	if math.IsNaN(widening(8, 8, 0, nil, 0, math.Inf(1))) {
		t.Error("no widening")
	}
}
