package coll

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gobench/comm/schedule"
	"gobench/internal/fuzzing"
	"gobench/nearest"
)

var here = Machine{Host: "node7", CPU: "A CPU @ 3 GHz", Cores: 4, Options: map[string]map[string]string{"smem": {"cma": "off"}}}

func mstChoice() Choice { c, _ := ParseChoice(schedule.Bcast, "mst"); return c }

func saved(t *testing.T) (path string, table *Table) {
	t.Helper()
	table = &Table{
		Rules:    []Rule{{"smem", schedule.Bcast, false, 4, 2048, mstChoice()}, {"", schedule.Bcast, false, 0, 0, mstChoice()}},
		Settings: []Setting{{"smem", "far_copy", "stream"}},
		Made:     Provenance{Date: time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC), Gobench: "v1", Machine: here},
	}
	path = filepath.Join(t.TempDir(), "tuning.toml")
	if err := table.Save(path); err != nil {
		t.Fatal(err)
	}
	return path, table
}

func TestFileRoundTrip(t *testing.T) {
	path, table := saved(t)
	back, err := Load(path, here)
	if err != nil {
		t.Fatal(err)
	}
	if back.Origin != path {
		t.Errorf("origin %q", back.Origin)
	}
	if d := cmp.Diff(table.Made, back.Made); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(table.Settings, back.Settings); d != "" {
		t.Error(d)
	}
	if len(back.Rules) != 2 || back.Rules[0].String() != "bcast on smem, at most 4 ranks, at most 2048 bytes: mst" ||
		back.Rules[1].String() != "bcast: mst" {
		t.Errorf("rules %v", back.Rules)
	}
	a, b := Options{Table: table}, Options{Table: back}
	if a.digest() != b.digest() {
		t.Error("the same rules have different digests")
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("Save leaves %v behind", left)
	}
	text, _ := os.ReadFile(path)
	if !strings.HasPrefix(string(text), "# Which algorithm") {
		t.Errorf("the file does not say what it is:\n%s", text)
	}
}

// A file can have rules for every operation, and its error names those for unequal blocks alone.
func TestRulesOfAllOperations(t *testing.T) {
	table := &Table{}
	for _, name := range operations() {
		kind, ok := schedule.ParseKind(name)
		if !ok {
			kind, _ = schedule.ParseKind(strings.TrimSuffix(name, "v"))
		}
		table.Rules = append(table.Rules, Rule{Kind: kind, Uneven: !ok, Choice: Choices(kind)[0]})
	}
	text, err := table.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := Decode(text, "")
	if err != nil {
		t.Fatal(err)
	}
	a, b := Options{Table: table}, Options{Table: back}
	if len(back.Rules) != schedule.Kinds+6 || a.digest() != b.digest() {
		t.Errorf("rules %v", back.Rules)
	}
	want := `unknown operation "alltoalv": did you mean "alltoallv"`
	if _, err := Decode([]byte(strings.Replace(string(text), `"alltoallv"`, `"alltoalv"`, 1)), ""); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestFilesThatAreIgnored(t *testing.T) {
	path, _ := saved(t)
	good, _ := os.ReadFile(path)
	var unknown *nearest.UnknownError
	var stale *StaleError
	var param *ParamError
	for _, c := range []struct {
		old, new string
		as       any
		want     string
	}{
		{"version = 1", "version = 2", &stale, `it was made for version "2", and here it is "1"`},
		{"version = 1", "", &stale, "version"},
		{"node7", "node8", &stale, `host "node8"`},
		{"3 GHz", "4 GHz", &stale, "cpu"},
		{"cores = 4", "cores = 8", &stale, "cores"},
		{`cma = "off"`, `cma = "on"`, &stale, `options of smem "cma=on", and here it is "cma=off"`},
		{`operation = "bcast"`, `operation = "bcats"`, &unknown, `rule 1: unknown operation "bcats": did you mean "bcast"?`},
		{`algorithm = "mst"`, `algorithm = "msd"`, &unknown, `rule 1: unknown algorithm of bcast "msd": did you mean "mst"?`},
		{`algorithm = "mst"`, `algorithm = "mst:4"`, &param, "rule 1: algorithm mst of bcast takes no parameter"},
		{"ranks = 4", "rank = 4", &unknown, `unknown key "rule.rank": did you mean "rule.ranks"?`},
		{`option = "far_copy"`, `options = "far_copy"`, &unknown, `unknown key "setting.options": did you mean "setting.option"?`},
		{"ranks = 4", "ranks = -4", nil, "ranks is -4"},
		{"ranks = 4", "ranks = 4.5", nil, "incompatible types"},
		{"[[rule]]", "[[rule", nil, "line"},
		{"version = 1", "\x00\xff", nil, ""},
	} {
		text := strings.Replace(string(good), c.old, c.new, 1)
		if text == string(good) {
			t.Fatalf("no %q in the file:\n%s", c.old, good)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		table, err := Load(path, here)
		var file *IgnoredError
		if !errors.As(err, &file) || file.Path != path || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.new, err, c.want)
		}
		if c.as != nil && !errors.As(err, c.as) {
			t.Errorf("%q: the error is no %T", c.new, c.as)
		}
		if table.Origin != "defaults" {
			t.Errorf("%q: the table is not the defaults", c.new)
		}
	}
	for _, path := range []string{filepath.Join(t.TempDir(), "none"), "/dev/null", t.TempDir()} {
		table, err := Load(path, here)
		if err == nil || table.Origin != "defaults" {
			t.Errorf("%s: %v, %v", path, table, err)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none"), here); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// A file that was measured with defaults holds where nothing is set, whatever it
// says of other transports.
func TestOptionsOfOtherTransportsDoNotCount(t *testing.T) {
	path, _ := saved(t)
	m := here
	m.Options = map[string]map[string]string{"tcp": nil}
	if _, err := Load(path, m); err != nil {
		t.Error(err)
	}
	m.Options = map[string]map[string]string{"tcp": {"engine": "net"}}
	var stale *StaleError
	if _, err := Load(path, m); !errors.As(err, &stale) {
		t.Errorf("tcp with options that were not measured: %v", err)
	}
}

// A file that is accepted is a table that can be asked, and whose choices can be read again.
func FuzzTable(t *testing.F) {
	f := fuzzing.New(t)
	f.Add([]byte("version = 1\n[[rule]]\noperation = \"bcast\"\nalgorithm = \"mst\"\n"))
	f.Add([]byte("version = 1\n[made]\nhost = \"node7\"\ncores = 4\n[[rule]]\noperation = \"allreduce\"\ntransport = \"smem\"\nranks = 4\nbytes = 2048\nalgorithm = \"knomial:4\"\n"))
	f.Add([]byte("version = 2\n"))
	f.Add([]byte("[[rule]]\nbytes = -1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1024 {
			return
		}
		table, err := parse(data, "f.toml", here)
		if err != nil {
			return
		}
		for _, name := range schedule.KindNames() {
			kind, _ := schedule.ParseKind(name)
			if c := table.Choose("smem", &schedule.Shape{Kind: kind, Ranks: 4, Bytes: 1024, Elem: 8, Commutative: true}, true); c.Algorithm == nil {
				t.Errorf("%s: nobody does %s", data, name)
			}
		}
		for _, r := range table.Rules {
			if back, err := ParseChoice(r.Kind, r.Choice.String()); err != nil || back.String() != r.Choice.String() {
				t.Errorf("%v is read as %v, %v", r.Choice, back, err)
			}
		}
	})
}

// The tables of other libraries select what their papers state, on any machine.
func TestTablesOfThePapers(t *testing.T) {
	const short, long = 32 << 10, 32<<10 + 8
	for _, c := range []struct {
		file  string
		kind  schedule.Kind
		ranks int
		bytes int
		want  string
	}{
		{"fastmpj", schedule.Bcast, 16, short, "flat-nb"},
		{"fastmpj", schedule.Bcast, 17, short, "mst"},
		{"fastmpj", schedule.Bcast, 16, long, "mst"},
		{"fastmpj", schedule.Allgather, 16, short, "flat-flat"},
		{"fastmpj", schedule.Allgather, 17, short, "flat-mst"},
		{"fastmpj", schedule.Allgather, 17, long, "mst"},
		{"fastmpj", schedule.Reduce, 17, short, "flat"},
		{"fastmpj", schedule.Allreduce, 2, short, "flat-flat"},
		{"fastmpj", schedule.Allreduce, 128, short, "flat-mst"},
		{"fastmpj", schedule.Allreduce, 2, long, "mst"},
		{"fastmpj", schedule.Barrier, 2, 0, "flat-fat"},
		{"f-mpj", schedule.Bcast, 4, long, "scatter-ring"},
		{"f-mpj", schedule.Allreduce, 4, short, "mst"},
		{"mpj-express", schedule.Bcast, 4, long, "four-ary"},
		{"mpj-ibis", schedule.Allreduce, 8, long, "recursive-doubling"},
	} {
		table, err := Load("../../configs/tables/"+c.file+".toml", here)
		if err != nil {
			t.Fatal(err)
		}
		shape := &schedule.Shape{Kind: c.kind, Ranks: c.ranks, Bytes: c.bytes, Elem: 8, Commutative: true}
		if got := table.Choose("tcp", shape, false).String(); got != c.want {
			t.Errorf("%s: %v of %d bytes on %d ranks by %s, want %s", c.file, c.kind, c.bytes, c.ranks, got, c.want)
		}
	}
}
