package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// countWriter counts calls of Write, and fails after room bytes.
type countWriter struct {
	bytes.Buffer
	calls, room int
}

func (w *countWriter) Write(b []byte) (int, error) {
	w.calls++
	if w.Len()+len(b) > w.room {
		n, _ := w.Buffer.Write(b[:w.room-w.Len()])
		return n, syscall.ENOSPC
	}
	return w.Buffer.Write(b)
}

func TestEachRowIsOneWrite(t *testing.T) {
	out := &countWriter{room: 1 << 20}
	w := NewWriter(out)
	for i := range 5 {
		succeed(t, w.WritePoint(samplePoint()))
		if out.calls != i+1 || !bytes.HasSuffix(out.Bytes(), []byte("}\n")) {
			t.Fatalf("%d writes after %d rows", out.calls, i+1)
		}
	}
}

func TestErrorOfAFullStream(t *testing.T) {
	out := &countWriter{room: 1500}
	w := NewWriter(out)
	err := w.WriteRun(sampleRun())
	for err == nil {
		err = w.WritePoint(samplePoint())
	}
	want := "cannot write a result to the output: no space left on device; its last line is incomplete, the results before it are kept"
	if err.Error() != want || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %q, want %q", err, want)
	}
	f, err := Read(&out.Buffer)
	if err != nil || len(f.Runs) != 1 || len(f.Warnings) != 1 {
		t.Errorf("reading it back: %v, %+v", err, f)
	}
}

// A file on a full disk keeps its complete rows and no part of the torn one. Rows can be appended
// when there is room again.
func TestAFullDiskTearsNoRow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "results.jsonl")
	w, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, w.WriteRun(sampleRun()), w.WritePoint(samplePoint()))
	good, _ := os.ReadFile(path)

	w.file.write = func(b []byte) (int, error) {
		n, _ := w.file.f.Write(b[:100])
		return n, &os.PathError{Op: "write", Path: path, Err: syscall.ENOSPC}
	}
	err = w.WritePoint(samplePoint())
	want := fmt.Sprintf("cannot write a result to %s: no space left on device; the results before it are kept", path)
	if err == nil || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(now, good) {
		t.Errorf("the file changed from %d to %d bytes", len(good), len(now))
	}

	w.file.write = nil
	succeed(t, w.WritePoint(samplePoint()), w.Close())
	f, err := ReadFile(path)
	if err != nil || len(f.Runs) != 1 || len(f.Points) != 2 || len(f.Warnings) != 0 {
		t.Errorf("reading it back: %v, %d runs, %d points, %q", err, len(f.Runs), len(f.Points), f.Warnings)
	}
}

func TestADeviceThatIsFull(t *testing.T) {
	w, err := Open("/dev/full")
	if err != nil {
		t.Fatal(err)
	}
	err = w.WriteRun(sampleRun())
	want := "cannot write a result to /dev/full: no space left on device; the results before it are kept"
	if err == nil || err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
	if err := w.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func TestAShortWriteWithoutErrorIsAnError(t *testing.T) {
	err := NewWriter(shortWriter{}).WriteRun(sampleRun())
	if !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("error %v", err)
	}
}

type shortWriter struct{}

func (shortWriter) Write(b []byte) (int, error) { return len(b) / 2, nil }

// A log is imported completely or not at all: a second import would be refused after an incomplete
// one.
func TestWriteAllOrNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	w := opened(t, path)
	points := []Point{*samplePoint(), *samplePoint()}
	room := 0
	w.file.write = func(b []byte) (int, error) {
		n, _ := w.file.f.Write(b[:min(room, len(b))])
		return n, syscall.ENOSPC
	}
	for room = 0; room <= 2000; room += 500 {
		if err := w.WriteAll(sampleRun(), points); !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
		if now, _ := os.ReadFile(path); len(now) != 0 {
			t.Fatalf("%d bytes are left of %d", len(now), room)
		}
	}
	w.file.write = nil
	wrong := []Point{*samplePoint(), {}}
	if err := w.WriteAll(sampleRun(), wrong); err == nil {
		t.Error("a point that is invalid was written")
	}
	succeed(t, w.WriteAll(sampleRun(), points), w.Close())
	if f, err := ReadFile(path); err != nil || len(f.Runs) != 1 || len(f.Points) != 2 {
		t.Errorf("%+v, error %v", f, err)
	}
}

// A second writer of a file gets a *BusyError until the first has closed it.
func TestAFileHasOneWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	first, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	busy := &BusyError{Path: path, PID: os.Getpid()}
	for range 2 {
		_, err = Open(path)
		if got, ok := errors.AsType[*BusyError](err); !ok || *got != *busy {
			t.Errorf("the second writer: %v, want %v", err, busy)
		}
		// Neither a reader nor a second writer releases the lock.
		if _, err := ReadFile(path); err != nil {
			t.Error(err)
		}
	}
	if want := fmt.Sprintf("%s is being written by process %d: wait for its end, or name another file with output", path, os.Getpid()); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	succeed(t, first.WritePoint(samplePoint()), first.Close())
	next, err := Open(path)
	if err != nil {
		t.Fatalf("after the first has closed it: %v", err)
	}
	if err := next.Close(); err != nil {
		t.Error(err)
	}
}

// Launches with the permission of the sweep that holds the lock write to its file.
func TestPermissionOfTheLockHolder(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "results.jsonl"), filepath.Join(dir, "other.jsonl")
	sweep, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := Open(other)
	if err != nil {
		t.Fatal(err)
	}
	permission := sweep.Permission()
	if len(permission) != 1 {
		t.Fatalf("permission %q", permission)
	}
	name, value, _ := strings.Cut(permission[0], "=")
	t.Setenv(name, value)
	launch, err := Open(path)
	if err != nil {
		t.Fatalf("with the permission of the holder: %v", err)
	}
	if p := launch.Permission(); p != nil {
		t.Errorf("a launch gives permission %q", p)
	}
	succeed(t, launch.WritePoint(samplePoint()), launch.Close(), sweep.WriteLaunch(sampleLaunch()))
	if _, err := Open(other); err == nil {
		t.Error("the permission is accepted for another file")
	}
	t.Setenv(name, strings.Replace(value, fmt.Sprint(os.Getpid()), "1", 1))
	if _, err := Open(path); err == nil {
		t.Error("the permission of a process without the lock is accepted")
	}
	if err := errors.Join(sweep.Close(), foreign.Close()); err != nil {
		t.Error(err)
	}
	if f, err := ReadFile(path); err != nil || len(f.Points) != 1 || len(f.Launches) != 1 {
		t.Errorf("%+v, error %v", f, err)
	}
}

// A lock is released when its process is killed.
func TestALockEndsWithItsProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	cmd := exec.Command(os.Args[0], "-test.run=^TestHolder$")
	cmd.Env = append(os.Environ(), "HOLD="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.StdinPipe(); err != nil { // it never ends
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 4)); err != nil {
		t.Error(err)
	}
	_, err = Open(path)
	if busy, ok := errors.AsType[*BusyError](err); !ok || busy.PID != cmd.Process.Pid {
		t.Errorf("while process %d holds the lock: %v", cmd.Process.Pid, err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	w := opened(t, path)
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// TestHolder runs in the process that TestALockEndsWithItsProcess starts.
func TestHolder(t *testing.T) {
	path := os.Getenv("HOLD")
	if path == "" {
		t.Skip("SKIPPED: TestALockEndsWithItsProcess starts it as a program that holds the lock")
	}
	w := opened(t, path)
	fmt.Print("held")
	io.Copy(io.Discard, os.Stdin) // until it is killed
	w.Close()
}

func TestAnInvalidPointIsNotWritten(t *testing.T) {
	var out bytes.Buffer
	p := samplePoint()
	p.Iterations = 0
	err := NewWriter(&out).WritePoint(p)
	if _, ok := errors.AsType[*InvalidError](err); !ok || out.Len() != 0 {
		t.Errorf("error %v, %d bytes written", err, out.Len())
	}
	if err := NewWriter(&out).WriteRun(&Run{}); err == nil || out.Len() != 0 {
		t.Errorf("a run without anything: error %v, %d bytes written", err, out.Len())
	}
}

// Values that JSON cannot represent are an error.
func TestAHostThatIsNoJSONIsNotWritten(t *testing.T) {
	r := sampleRun()
	r.Hosts = []any{func() {}}
	var out bytes.Buffer
	err := NewWriter(&out).WriteRun(r)
	if err == nil || !strings.Contains(err.Error(), "host 0 must be a JSON object") || out.Len() != 0 {
		t.Errorf("error %v, %d bytes written", err, out.Len())
	}
}
