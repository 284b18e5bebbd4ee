package capsule_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"

	"gobench/compare"
	"gobench/internal/report/cell"
	"gobench/internal/report/document"
	"gobench/internal/report/figure/figuretest"
	"gobench/record"
	"gobench/report/capsule"
)

// saved writes the times of records to a file, and returns its name.
func saved(t *testing.T, name string, f *record.File) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	w, err := record.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Plans {
		err = errors.Join(err, w.WritePlan(&f.Plans[i]))
	}
	for i := range f.Runs {
		err = errors.Join(err, w.WriteRun(&f.Runs[i]))
	}
	for i := range f.Points {
		f.Points[i].Metrics = record.ValuesOf(map[string]record.Value{"half_rtt_s": f.Points[i].Metrics.Get("half_rtt_s")})
		err = errors.Join(err, w.WritePoint(&f.Points[i]))
	}
	for i := range f.Launches {
		err = errors.Join(err, w.WriteLaunch(&f.Launches[i]))
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// opened unpacks an archive and returns its directory and its records.
func opened(t *testing.T, archive []byte) (string, []compare.Source, error) {
	t.Helper()
	dir := t.TempDir()
	name, into := filepath.Join(dir, "x.tar.zst"), filepath.Join(dir, "into")
	if err := os.WriteFile(name, archive, 0o666); err != nil {
		t.Fatal(err)
	}
	set, err := capsule.Open(name, into)
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("files beside the directory: %v", entries)
	}
	return into, set, err
}

func swept() *record.File {
	f := figuretest.PingPong(2)
	f.Plans = []record.Plan{{ID: "p", Time: figuretest.Begin, Sweep: "s", File: "s.toml", Lines: []string{`name = "s"`}, Command: []string{"gobench", "sweep", "s.toml"}}}
	for i, r := range f.Runs {
		f.Launches = append(f.Launches, record.Launch{Run: r.ID, Time: figuretest.Begin, Sweep: "s", Plan: "p", Command: []string{"p2p"}, Launch: i + 1, Block: i + 1, Seed: 7, Duration: 30})
	}
	return f
}

func TestContents(t *testing.T) {
	paths := []string{saved(t, "p2p.jsonl", figuretest.PingPong(6)), saved(t, "s.jsonl", figuretest.Other(swept()))}
	var archives [2]bytes.Buffer
	for i := range archives {
		if _, err := capsule.Write(&archives[i], paths, capsule.Options{Title: `A "title"`, Authors: []string{"Ada King Lovelace", "Plato"}}); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(archives[0].Bytes(), archives[1].Bytes()) {
		t.Error("equal records give other bytes")
	}
	dir, then, err := opened(t, archives[0].Bytes())
	if err != nil || len(cell.SetOf(then).Points) != 8*48 {
		t.Fatalf("%v", err)
	}
	for name, parts := range map[string][]string{
		"README.md":    {"384 results of gobench in 2 files", "and 8 more in", "n1, Test CPU, 16 cores", "took about 1m0s", "0123456789abcdef", "pingpong smem device 8 B"},
		"LICENSE":      {"CC-BY-4.0"},
		"CITATION.cff": {`title: "A \"title\""`, `family-names: "Lovelace"`, `given-names: "Ada King"`, `family-names: "Plato"`, "date-released: 2026-01-02", "license: CC-BY-4.0"},
		"SHA256SUMS":   {"  README.md\n", "  records/p2p.jsonl\n"},
		"reproduce.sh": {"#!/bin/sh\n", "gobench p2p -o p2p.jsonl", "gobench sweep s.toml --seed=7 -o s.jsonl"},
		"claims.csv":   {"claim,metric,unit,median,lo,hi,launches,tolerance\n", "pingpong tcp device 8 B 2 ranks,half_rtt_s,s,6."},
		"hosts.json":   {`"hostname": "n1"`},
		"plan/s.toml":  {"name = \"s\"\n"},
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		for _, part := range parts {
			if err != nil || !strings.Contains(string(text), part) {
				t.Errorf("%s lacks %q (%v):\n%s", name, part, err, text)
			}
		}
	}
	if _, names := document.Repeat(cell.SetOf(then)); !slices.Equal(names, []string{"p2p.jsonl", "s.jsonl"}) {
		t.Errorf("a repetition writes %q", names)
	}
}

func TestNothingToPack(t *testing.T) {
	if _, err := capsule.Write(new(bytes.Buffer), []string{saved(t, "x.jsonl", &record.File{Runs: figuretest.PingPong(1).Runs})}, capsule.Options{}); !errors.As(err, new(*document.EmptyError)) {
		t.Errorf("error %v", err)
	}
}

// An entry is one of an archive.
type entry struct {
	name, content string
	kind          byte
	link          string
	size          int64 // stated, if it is not that of content
}

func archive(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Linkname: e.link, Mode: 0o644, Size: max(e.size, int64(len(e.content)))}
		if e.kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.content)); err != nil && e.content != "" {
			t.Fatal(err)
		}
	}
	w.Flush() // an error of a file that is shorter than stated
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDamagedArchives(t *testing.T) {
	list := func(files map[string]string) (text string) {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			text += fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(files[name])), name)
		}
		return text
	}
	const run = `{"schema":"gobench/1","kind":"run","run":"r1","time":"2026-11-21T00:00:00Z","command":["gobench","p2p"],"job":{"launcher":"local","ranks":2}}` + "\n"
	a := entry{name: "capsule/a", content: "x"}
	good := []entry{a, {name: "capsule/records/a.jsonl", content: run}, {name: "capsule/SHA256SUMS", content: list(map[string]string{"a": "x", "records/a.jsonl": run})}}
	whole := archive(t, append([]entry{{name: "capsule/", kind: tar.TypeDir}}, good...)...)
	if _, _, err := opened(t, whole); err != nil {
		t.Fatalf("an intact archive: %v", err)
	}
	for name, bad := range map[string][]byte{
		"nothing":          {},
		"text":             []byte("Lorem ipsum"),
		"truncated":        whole[:len(whole)/2],
		"damaged":          append(append(slices.Clone(whole[:len(whole)-9]), whole[len(whole)-9]^1), whole[len(whole)-8:]...),
		"an empty tar":     archive(t),
		"above":            archive(t, append(good, entry{name: "capsule/../../b", content: "x"})...),
		"absolute":         archive(t, append(good, entry{name: "/tmp/b", content: "x"})...),
		"beside":           archive(t, append(good, entry{name: "b", content: "x"})...),
		"directory above":  archive(t, append(good, entry{name: "capsule/../..", kind: tar.TypeDir})...),
		"a link":           archive(t, append(good, entry{name: "capsule/b", kind: tar.TypeSymlink, link: "/etc/passwd"})...),
		"a device":         archive(t, append(good, entry{name: "capsule/b", kind: tar.TypeChar})...),
		"a pipe":           archive(t, append(good, entry{name: "capsule/b", kind: tar.TypeFifo})...),
		"twice":            archive(t, append(good, a)...),
		"another sum":      archive(t, a, entry{name: "capsule/SHA256SUMS", content: list(map[string]string{"a": "y"})}),
		"a missing file":   archive(t, a, entry{name: "capsule/SHA256SUMS", content: list(map[string]string{"a": "x", "b": "y"})}),
		"an empty sum":     archive(t, append(good[:2:2], entry{name: "capsule/SHA256SUMS", content: list(map[string]string{"a": "x", "records/a.jsonl": run}) + "  b\n"})...),
		"unlisted":         archive(t, append(good, entry{name: "capsule/b", content: "x"})...),
		"no sums":          archive(t, a),
		"too large":        archive(t, append(good, entry{name: "capsule/b", size: 1 << 40})...),
		"short":            archive(t, append(good, entry{name: "capsule/b", content: "x", size: 1 << 20})...),
		"directories":      archive(t, append(slices.Repeat([]entry{{name: "capsule/d", kind: tar.TypeDir}}, 10001), good...)...),
		"a file below one": archive(t, append(good, entry{name: "capsule/a/b", content: "x"})...),
	} {
		if _, _, err := opened(t, bad); !errors.As(err, new(*record.FileError)) {
			t.Errorf("%s: error %v", name, err)
		}
	}

	// An archive is not damaged because the file system takes no more.
	large := entry{name: "capsule/b", content: strings.Repeat("x", 1<<20)}
	var usual unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &usual); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(unix.SIGXFSZ)
	defer signal.Reset(unix.SIGXFSZ)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1 << 16, Max: usual.Max}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Setrlimit(unix.RLIMIT_FSIZE, &usual) })
	_, _, err := opened(t, archive(t, append(good, large)...))
	if e := unix.Setrlimit(unix.RLIMIT_FSIZE, &usual); e != nil {
		t.Fatal(e)
	}
	if err == nil || errors.As(err, new(*record.FileError)) || !errors.Is(err, unix.EFBIG) {
		t.Errorf("no space: error %v", err)
	}
}

func slower(f *record.File, factor float64) *record.File {
	for i := range f.Points {
		p := &f.Points[i]
		v := p.Metrics.Get("half_rtt_s")
		v.Median *= factor
		p.Metrics = record.ValuesOf(map[string]record.Value{"half_rtt_s": v})
	}
	return figuretest.Other(f)
}

func set(f *record.File) []compare.Source { return []compare.Source{{Name: "x.jsonl", File: f}} }

func TestVerdicts(t *testing.T) {
	few := func(f *record.File) *record.File { f.Points = f.Points[:48+1]; return f } // the second launch has one point
	none := figuretest.Other(figuretest.PingPong(6))
	none.Points = none.Points[:0]
	for _, c := range []struct {
		name      string
		then, now *record.File
		tolerance float64
		verdict   capsule.Verdict
	}{
		{"as before", figuretest.PingPong(6), slower(figuretest.PingPong(6), 1.01), 0, capsule.Holds},
		{"slower", figuretest.PingPong(6), slower(figuretest.PingPong(6), 1.2), 0, capsule.Fails},
		{"faster", figuretest.PingPong(6), slower(figuretest.PingPong(6), 1/1.2), 0, capsule.Fails},
		{"slower, as tolerated", figuretest.PingPong(6), slower(figuretest.PingPong(6), 1.2), 0.25, capsule.Holds},
		{"one launch", figuretest.PingPong(1), slower(figuretest.PingPong(6), 1), 0, capsule.Missing},
		{"one launch, as tolerated", figuretest.PingPong(1), slower(figuretest.PingPong(6), 1), 0.2, capsule.Holds},
		{"nothing measured", figuretest.PingPong(6), none, 0, capsule.Missing},
	} {
		results, err := capsule.Judge(set(c.then), set(c.now), c.tolerance)
		if err != nil || len(results) != 48 {
			t.Fatalf("%s: %d results, %v", c.name, len(results), err)
		}
		for _, r := range results {
			if r.Verdict != c.verdict || (r.Verdict == capsule.Missing) != (r.Why != "") {
				t.Errorf("%s: %s: %s (%s), want %s", c.name, r.Name, r.Verdict, r.Why, c.verdict)
			}
		}
	}
	results, err := capsule.Judge(set(figuretest.PingPong(6)), set(few(slower(figuretest.PingPong(2), 1))), 0)
	if err != nil || len(results) != 48 {
		t.Errorf("%d results, %v", len(results), err)
	}
}

// The tolerance follows from the launches: two that are 10 % apart allow four times their distance
// from the median.
func TestTolerance(t *testing.T) {
	f := figuretest.PingPong(2)
	for i := range f.Points {
		v := f.Points[i].Metrics.Get("half_rtt_s")
		v.Median = []float64{0.95e-6, 1.05e-6}[i/48]
		f.Points[i].Metrics = record.ValuesOf(map[string]record.Value{"half_rtt_s": v})
	}
	// A launch in another state of the cores does not widen it.
	far := figuretest.PingPong(3)
	for i := range far.Points {
		p := &far.Points[i]
		p.StateDistance, p.Iterations = 160e-9, 4000
		if i >= 48 {
			p.StateDistance, p.Metrics = 30e-9, f.Points[i-48].Metrics
		}
	}
	states, err := capsule.Claims(set(far))
	if err != nil || len(states) != 48 || states[0].Launches != 3 {
		t.Fatalf("%d claims, %v", len(states), err)
	}
	for _, c := range states {
		if c.Tolerance < 0.1999 || c.Tolerance > 0.2001 || c.Value.Median < 0.99e-6 || c.Value.Median > 1.01e-6 {
			t.Errorf("%+v", c)
		}
	}
	claims, err := capsule.Claims(set(f))
	if err != nil || len(claims) != 48 {
		t.Fatalf("%d claims, %v", len(claims), err)
	}
	for _, c := range claims {
		if c.Tolerance < 0.1999 || c.Tolerance > 0.2001 || c.Launches != 2 {
			t.Errorf("%+v", c)
		}
	}
}
