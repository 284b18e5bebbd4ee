package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"gobench/bench"
	"gobench/record"
)

// recorder records rows as they arrive, one line each.
type recorder struct {
	list []string
	err  error // returned for every row
}

func (h *recorder) add(format string, args ...any) error {
	h.list = append(h.list, fmt.Sprintf(format, args...))
	return h.err
}

func (h *recorder) Run(r record.Run) error { return h.add("run %s", r.ID) }
func (h *recorder) Point(p record.Point) error {
	return h.add("point %s %d %v", p.Run, p.Size, p.Metrics.Median("half_rtt_s"))
}
func (h *recorder) Event(e bench.Event) error {
	switch {
	case e.Progress != nil:
		return h.add("progress %s %d/%d", e.Progress.Bench, e.Progress.Case, e.Progress.Cases)
	case e.Line != "":
		return h.add("line %s", e.Line)
	case e.Stage != nil:
		return h.add("stage %s %d", e.Stage.Name, e.Stage.Resident)
	case e.LeftOut != nil:
		return h.add("left out %s %d %v", e.LeftOut.Bench, e.LeftOut.Size, e.LeftOut.Event)
	}
	return h.add("text %s", e.Text)
}

// sent returns the output of rank 0 of a launch with one row of each kind.
func sent(t *testing.T, live bool) []byte {
	t.Helper()
	var b bytes.Buffer
	s := newSender(&b, live)
	when := time.Date(2026, 11, 21, 1, 2, 3, 0, time.UTC)
	if err := s.Run(record.Run{ID: "r1", Time: when, Command: []string{"gobench"}, Job: record.Job{Launcher: "local", Ranks: 2}}); err != nil {
		t.Fatal(err)
	}
	for _, e := range []bench.Event{{Progress: &bench.Progress{Bench: "pingpong", Case: 1, Cases: 2}}, {Line: "1/2 cg S"}} {
		if err := s.Event(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Point(record.Point{Run: "r1", Time: when, Bench: "pingpong", Transport: "smem", Level: "device", Size: 8, Ranks: 2, RankKind: "process", Iterations: 1,
		Metrics: record.ValuesOf(map[string]record.Value{"half_rtt_s": {Median: 1e-7, N: 1}})}); err != nil {
		t.Fatal(err)
	}
	if err := s.Event(bench.Event{Text: "two\nlines \"quoted\" \x1b\n"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Event(bench.Event{Stage: &bench.Stage{Name: stageConnect, Resident: 17}}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var allRows = []string{"run r1", "progress pingpong 1/2", "line 1/2 cg S", "point r1 8 1e-07", "text two\nlines \"quoted\" \x1b\n", "stage connect 17"}

// Rows arrive as they were sent, wherever the pipe cuts them.
func TestRowsThatArriveInPieces(t *testing.T) {
	stream := sent(t, true)
	for _, size := range []int{1, 2, 3, 7, 64, len(stream)} {
		var h recorder
		r := receiver{to: &h}
		for piece := range slices.Chunk(stream, size) {
			if n, err := r.Write(slices.Clone(piece)); n != len(piece) || err != nil {
				t.Fatalf("pieces of %d bytes: %d, %v", size, n, err)
			}
		}
		if !slices.Equal(h.list, allRows) {
			t.Errorf("pieces of %d bytes: %q", size, h.list)
		}
	}
}

// A launching process that has closed the pipe prints why.
func TestTheLauncherHasFailed(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
	if err := newSender(out, true).Event(bench.Event{Text: "x"}); !errors.Is(err, errElsewhere) {
		t.Errorf("%v", err)
	}
	r := receiver{to: &recorder{}}
	if _, err := r.Write([]byte("{}\n")); err == nil || r.err == nil {
		t.Error("the receiver has forgotten why")
	}
}

// Without a terminal only rows, text and stages are sent.
func TestProgressIsSentForTerminalsOnly(t *testing.T) {
	var h recorder
	if _, err := (&receiver{to: &h}).Write(sent(t, false)); err != nil {
		t.Fatal(err)
	}
	if want := []string{allRows[0], allRows[3], allRows[4], allRows[5]}; !slices.Equal(h.list, want) {
		t.Errorf("%q, want %q", h.list, want)
	}
}

// A line may be longer than any buffer, and rows after it are whole.
func TestLongRows(t *testing.T) {
	var b bytes.Buffer
	s := newSender(&b, true)
	long := strings.Repeat("x", 3<<20)
	s.Event(bench.Event{Text: long})
	s.Event(bench.Event{Line: "after"})
	var h recorder
	r := receiver{to: &h}
	for piece := range slices.Chunk(b.Bytes(), 32<<10) {
		if _, err := r.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if len(h.list) != 2 || h.list[0] != "text "+long || h.list[1] != "line after" {
		t.Errorf("%d rows", len(h.list))
	}
}

// An invalid row ends the launch.
func TestInvalidRows(t *testing.T) {
	for _, line := range []string{"Segmentation fault", "{", "5", "[]", `{"kind":"point","size_B":"much"}`, `{"kind":"run","time":1}`, ""} {
		var h recorder
		if n, err := (&receiver{to: &h}).Write([]byte(line + "\n")); err == nil || n != 0 || len(h.list) != 0 {
			t.Errorf("%q: %d bytes taken (%v), received %q", line, n, err, h.list)
		}
	}
}

// An error of the receiver of rows, such as a closed standard output, ends the launch before the
// rows that follow.
func TestErrorsOfTheReceiverEndALaunch(t *testing.T) {
	h := recorder{err: errStdoutClosed}
	if _, err := (&receiver{to: &h}).Write(sent(t, true)); err != errStdoutClosed || len(h.list) != 1 {
		t.Errorf("%v after %q", err, h.list)
	}
}

// An incomplete row is ignored.
func TestIncompleteRowsAreIgnored(t *testing.T) {
	var h recorder
	stream := sent(t, true)
	if _, err := (&receiver{to: &h}).Write(stream[:len(stream)-1]); err != nil || len(h.list) != len(allRows)-1 {
		t.Errorf("%v, %q", err, h.list)
	}
}

// Under another launcher Run returns no Result, whose rows a program may ask for all the same.
func TestRowsOfNoResult(t *testing.T) {
	if rows := (*Result)(nil).Rows(); rows != nil {
		t.Errorf("%+v", rows)
	}
}
