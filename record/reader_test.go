package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gobench/internal/fuzzing"
)

// rows returns the lines of a run and two points.
func rows(t *testing.T) []string {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out)
	succeed(t, w.WriteRun(sampleRun()), w.WritePoint(samplePoint()), w.WritePoint(samplePoint()))
	return strings.SplitAfter(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func TestReadGivesBackWhatWasWritten(t *testing.T) {
	f, err := Read(strings.NewReader(strings.Join(rows(t), "")))
	if err != nil {
		t.Fatal(err)
	}
	run, point := sampleRun(), samplePoint()
	run.Schema, run.Kind = Schema, KindRun
	point.Schema, point.Kind = Schema, KindPoint
	run.Program = map[string]any{"go": "go1.26.8", "gomaxprocs": 4.0} // numbers of JSON
	want := &File{Runs: []Run{*run}, Points: []Point{*point, *point}}
	if d := cmp.Diff(want, f); d != "" {
		t.Error(d)
	}
	if r := f.Run(&f.Points[1]); r == nil || r.Seed != 42 {
		t.Errorf("the run of the point is %+v", r)
	}
	if r := f.Run(&Point{Run: "none"}); r != nil {
		t.Errorf("the run of no run is %+v", r)
	}
}

// Older files have former names of algorithms.
func TestReadRenamesAlgorithms(t *testing.T) {
	p := samplePoint()
	p.Algorithm = "shm-copy"
	var out bytes.Buffer
	if err := NewWriter(&out).WritePoint(p); err != nil {
		t.Fatal(err)
	}
	f, err := Read(&out)
	if err != nil || len(f.Points) != 1 || f.Points[0].Algorithm != "smem-copy" {
		t.Errorf("a point of shm-copy is read as %+v, %v", f.Points, err)
	}
}

// Of a file truncated at any byte, all complete rows are read. A partial row gives one warning.
func TestReadAFileCutOffAnywhere(t *testing.T) {
	lines := rows(t)
	text := strings.Join(lines, "")
	starts := []int{0, len(lines[0]), len(lines[0]) + len(lines[1]), len(text)}
	for cut := 0; cut <= len(text); cut += 1 + cut%7 {
		f, err := Read(strings.NewReader(text[:cut]))
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		whole := 0
		for whole < 3 && cut >= starts[whole+1]-1 { // the newline may be missing
			whole++
		}
		rest := cut > starts[whole]
		if len(f.Runs)+len(f.Points) != whole || (len(f.Warnings) == 1) != rest {
			t.Fatalf("cut at %d: %d runs, %d points, warnings %q; want %d rows", cut, len(f.Runs), len(f.Points), f.Warnings, whole)
		}
	}
}

func TestReadRefusesGarbageInTheMiddle(t *testing.T) {
	lines := rows(t)
	for _, c := range []struct{ line, want string }{
		{"garbage\n", "x.jsonl:2: not a row of gobench results: invalid character 'g' looking for beginning of value"},
		{lines[1][:50] + "\n", "x.jsonl:2: not a row of gobench results: unexpected end of JSON input"},
		{strings.Replace(lines[1], `"bench":`, `"Bench":`, 1), `x.jsonl:2: not a row of gobench results: field "Bench" must be spelled "bench"`},
		{"{}\n", "x.jsonl:2: not a row of gobench results: it has no schema gobench/1"},
		{`{"schema":"gobench/1"}` + "\n", "x.jsonl:2: not a row of gobench results: it has no kind"},
		{`{"schema":"gobench/7","kind":"point"}` + "\n", `x.jsonl:2: schema "gobench/7" is unknown, this gobench reads gobench/1; use a newer gobench`},
		{`{"schema":"gobench/0","kind":"point"}` + "\n", `x.jsonl:2: schema "gobench/0" is unknown, this gobench reads gobench/1; use the gobench that wrote it, or measure again`},
		{strings.Replace(lines[1], `"level":"device"`, `"level":"x"`, 1),
			`x.jsonl:2: not a row of gobench results: invalid row (pingpong smem x 1024 B): level: is "x", must be one of ["raw" "socket" "device" "comm"]`},
	} {
		f := &File{}
		err := f.read(strings.NewReader(lines[0]+c.line+lines[2]), "x.jsonl", 0)
		if want := c.want + "; the line behind it is left out, too"; err == nil || err.Error() != want {
			t.Errorf("error %q, want %q", err, want)
		}
		if len(f.Runs) != 1 || len(f.Points) != 0 {
			t.Errorf("%d runs and %d points were read before the line, want 1 and 0", len(f.Runs), len(f.Points))
		}
	}
}

// An invalid line says how many lines behind it have not been read, also of a file of many blocks.
func TestReadSaysHowManyLinesItLeavesOut(t *testing.T) {
	lines := rows(t)
	for _, behind := range []int{0, 1, 2, 3 * blockSize / len(lines[1])} {
		for _, bad := range []string{"garbage\n", `{"schema":"gobench/7","kind":"point"}` + "\n"} {
			for _, end := range []string{"", "\n"} {
				text := lines[0] + bad + strings.Repeat(lines[1], behind)
				f, err := Read(strings.NewReader(strings.TrimSuffix(text, "\n") + end))
				after := -1
				if file, ok := errors.AsType[*FileError](err); ok {
					after = file.After
				} else if version, ok := errors.AsType[*VersionError](err); ok {
					after = version.After
				}
				torn := behind == 0 && end == "" && bad == "garbage\n" // the last line of a crash
				if !torn && (after != behind || len(f.Runs) != 1 || len(f.Points) != 0) {
					t.Errorf("%d lines behind %q: %d are said, %v", behind, bad, after, err)
				}
			}
		}
	}
	_, err := Read(strings.NewReader(lines[0] + "{}\n" + strings.Repeat(lines[1], 7)))
	if want := "input:2: not a row of gobench results: it has no schema gobench/1; the 7 lines behind it are left out, too"; err == nil || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

// Editors of other systems put a byte order mark before the first line and end lines with CR LF.
// Joined files have the mark in the middle.
func TestReadWhatEditorsOfOtherSystemsWrite(t *testing.T) {
	lines := rows(t)
	one := byteOrderMark + strings.ReplaceAll(strings.Join(lines, "")+"\n", "\n", "\r\n")
	for _, text := range []string{one, one + one, byteOrderMark, byteOrderMark + lines[0], byteOrderMark + strings.TrimSuffix(lines[0], "\n")} {
		f, err := Read(strings.NewReader(text))
		if n := strings.Count(text, `"schema"`); err != nil || len(f.Runs)+len(f.Points) != n || f.Warnings != nil {
			t.Errorf("%d of %d rows, %v, %q", len(f.Runs)+len(f.Points), n, err, f.Warnings)
		}
	}
}

func TestReadKeepsUnknownFields(t *testing.T) {
	line := strings.Replace(rows(t)[1], `"cache":`, `"from_the_future":{"a":[1,2]},"cache":`, 1)
	f, err := Read(strings.NewReader(line))
	if err != nil || len(f.Points) != 1 {
		t.Fatal(err)
	}
	b, err := json.Marshal(f.Points[0])
	if err != nil || !bytes.Contains(b, []byte(`"from_the_future":{"a":[1,2]}`)) {
		t.Errorf("written back as %s, error %v", b, err)
	}
}

func TestReadLeavesOutUnknownKinds(t *testing.T) {
	sample := `{"schema":"gobench/1","kind":"samples","run":"r"}` + "\n"
	f, err := Read(strings.NewReader(rows(t)[0] + sample + sample + "\n\n" + rows(t)[1]))
	if err != nil || len(f.Points) != 1 {
		t.Fatalf("%d points, error %v", len(f.Points), err)
	}
	want := []string{`input: 2 rows of unknown kind "samples" are left out; a newer gobench reads them`}
	if d := cmp.Diff(want, f.Warnings); d != "" {
		t.Error(d)
	}
}

func TestReadBoundsALine(t *testing.T) {
	_, err := Read(strings.NewReader(strings.Repeat("x", maxLine+1)))
	if err == nil || err.Error() != "input:1: not a row of gobench results: it is longer than 16 MiB" {
		t.Errorf("error %v", err)
	}
}

func TestReadFileThatIsNotThere(t *testing.T) {
	f, err := ReadFile("/nowhere/x.jsonl")
	if !errors.Is(err, os.ErrNotExist) || f == nil ||
		err.Error() != "cannot read results: open /nowhere/x.jsonl: no such file or directory" {
		t.Errorf("error %v", err)
	}
}

// Rows that the reader accepts are written and read back unchanged.
func FuzzRead(t *testing.F) {
	f := fuzzing.New(t)
	run, _ := json.Marshal(sampleRun())
	f.Add(run)
	var out bytes.Buffer
	w := NewWriter(&out)
	if err := errors.Join(w.WriteRun(sampleRun()), w.WritePoint(samplePoint())); err != nil {
		f.Fatal(err)
	}
	f.Add(bytes.Clone(out.Bytes()))
	f.Add(out.Bytes()[:out.Len()-20])
	f.Add([]byte("{\"schema\":\"gobench/1\",\"kind\":\"x\"}\n\n\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > maxFuzzed {
			return
		}
		file, err := Read(bytes.NewReader(b))
		if file == nil {
			t.Fatal("no file")
		}
		var again bytes.Buffer
		w := NewWriter(&again)
		for i := range file.Runs {
			succeed(t, w.WriteRun(&file.Runs[i]))
		}
		for i := range file.Points {
			succeed(t, w.WritePoint(&file.Points[i]))
		}
		second, errAgain := Read(&again)
		if errAgain != nil {
			t.Fatalf("%v, after %v", errAgain, err)
		}
		second.Warnings = file.Warnings
		if !reflect.DeepEqual(file, second) { // cmp takes a millisecond
			t.Fatal(cmp.Diff(file, second))
		}
	})
}

// FuzzRow is FuzzRead for a single line, which is many times faster.
func FuzzRow(t *testing.F) {
	f := fuzzing.New(t)
	run, _ := json.Marshal(sampleRun())
	f.Add(run)
	var out bytes.Buffer
	if err := NewWriter(&out).WritePoint(samplePoint()); err != nil {
		f.Fatal(err)
	}
	f.Add(bytes.TrimSpace(out.Bytes()))
	f.Add([]byte(`{"schema":"gobench/1","kind":"launch"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var escaped bytes.Buffer
		json.HTMLEscape(&escaped, b) // like unknown fields are written
		b = escaped.Bytes()
		var c, again chunk
		if len(b) > maxFuzzed || c.row(b) != nil {
			return
		}
		var line []byte
		var err error
		switch {
		case len(c.points) == 1:
			line, err = json.Marshal(c.points[0])
		case len(c.runs) == 1:
			line, err = json.Marshal(&c.runs[0])
		case len(c.launches) == 1:
			line, err = json.Marshal(&c.launches[0])
		default:
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := again.row(line); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if !reflect.DeepEqual(c.points, again.points) || !reflect.DeepEqual(c.runs, again.runs) || !reflect.DeepEqual(c.launches, again.launches) {
			t.Fatalf("%s is written as %s", b, line)
		}
	})
}
