package record

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// resultFile writes a file with a run and a point, followed by the text more.
func resultFile(t *testing.T, more string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "results.jsonl")
	w := opened(t, path)
	succeed(t, w.WriteRun(sampleRun()), w.WritePoint(samplePoint()), w.Close())
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, os.WriteFile(path, append(b, more...), 0o666))
	return path
}

func TestOpenAppends(t *testing.T) {
	path := resultFile(t, "")
	for range 3 {
		w, err := Open(path)
		if err != nil || len(w.Warnings()) != 0 {
			t.Fatalf("error %v, warnings %q", err, w.Warnings())
		}
		succeed(t, w.WritePoint(samplePoint()), w.Close())
	}
	if f, err := ReadFile(path); err != nil || len(f.Points) != 4 || len(f.Runs) != 1 {
		t.Errorf("%d runs, %d points, error %v", len(f.Runs), len(f.Points), err)
	}
}

// A file that Open created is removed if no row was written. A file that existed is kept.
func TestAFileWithoutRowsIsRemoved(t *testing.T) {
	made, found := filepath.Join(t.TempDir(), "made.jsonl"), filepath.Join(t.TempDir(), "found.jsonl")
	succeed(t, os.WriteFile(found, nil, 0o666))
	for _, path := range []string{made, found} {
		w := opened(t, path)
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(made); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file without rows is still there (%v)", err)
	}
	if _, err := os.Stat(found); err != nil {
		t.Error(err)
	}
}

// A torn last line would damage the row that is appended to it.
func TestOpenRemovesATornLine(t *testing.T) {
	long := `{"schema":"gobench/1","kind":"point","x":"` + strings.Repeat("y", 20000)
	for _, torn := range []string{`{"sch`, long, "\x00\x00\x00"} {
		path := resultFile(t, torn)
		w := opened(t, path)
		if len(w.Warnings()) != 1 || !strings.Contains(w.Warnings()[0], "was incomplete") {
			t.Errorf("warnings %q", w.Warnings())
		}
		succeed(t, w.WritePoint(samplePoint()), w.Close())
		if f, err := ReadFile(path); err != nil || len(f.Points) != 2 || len(f.Warnings) != 0 {
			t.Errorf("%d points, error %v, warnings %q", len(f.Points), err, f.Warnings)
		}
	}
}

func TestOpenEndsAWholeLastLine(t *testing.T) {
	path := resultFile(t, "")
	b, _ := os.ReadFile(path)
	os.WriteFile(path, b[:len(b)-1], 0o666)
	w, err := Open(path)
	if err != nil || len(w.Warnings()) != 0 {
		t.Fatalf("error %v, warnings %q", err, w.Warnings())
	}
	succeed(t, w.WritePoint(samplePoint()), w.Close())
	if f, err := ReadFile(path); err != nil || len(f.Points) != 2 {
		t.Errorf("%d points, error %v", len(f.Points), err)
	}
}

func TestOpenRemovesATornFirstLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	os.WriteFile(path, []byte(`{"schema":"gob`), 0o666)
	w, err := Open(path)
	if err != nil || len(w.Warnings()) != 1 {
		t.Fatalf("error %v", err)
	}
	succeed(t, w.WriteRun(sampleRun()), w.Close())
	if f, err := ReadFile(path); err != nil || len(f.Runs) != 1 {
		t.Errorf("%d runs, error %v", len(f.Runs), err)
	}
}

// A file with other content is not changed, and the error states what to do.
func TestOpenRefusesOtherFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		succeed(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	for _, c := range []struct{ path, why string }{
		{file("notes.txt", "dear diary"), "it contains data other than gobench results"},
		{file("other.json", `{"a":1}`), "it contains data other than gobench results"},
		{file("new.jsonl", `{"schema":"gobench/2","kind":"run"}`+"\n"), "it contains results of a schema other than gobench/1"},
		{file("newer.jsonl", `{"schema":"gobench/11","kind":"run"}`+"\n"), "it contains results of a schema other than gobench/1"},
		{dir, "is a directory"},
		{filepath.Join(file("plain", ""), "x.jsonl"), "not a directory"},
		{"/proc/nowhere/x.jsonl", "no such file or directory"},
	} {
		before, _ := os.ReadFile(c.path)
		_, err := Open(c.path)
		if want := "cannot write results to " + c.path + ": " + c.why + "; name another file with output"; err == nil || err.Error() != want {
			t.Errorf("error %q, want %q", err, want)
		}
		if _, ok := errors.AsType[*OpenError](err); !ok {
			t.Errorf("%s: the error is no *OpenError", c.path)
		}
		if after, _ := os.ReadFile(c.path); string(after) != string(before) {
			t.Errorf("%s was changed", c.path)
		}
	}
}

// pipe creates a named pipe.
func pipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	succeed(t, unix.Mkfifo(path, 0o600))
	return path
}

// A pipe is opened once: its reader regards the first close as the end of the results.
func TestAPipeIsOpenedOnce(t *testing.T) {
	path := pipe(t)
	read := make(chan *File)
	go func() {
		f, err := ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		read <- f
	}()
	w := opened(t, path)
	succeed(t, w.WriteRun(sampleRun()), w.WritePoint(samplePoint()), w.Close())
	if f := <-read; len(f.Points) != 1 {
		t.Errorf("the reader has %d points", len(f.Points))
	}
	if p := w.Permission(); p != nil {
		t.Errorf("a pipe is locked: %q", p)
	}
}

// Ctrl-C ends the wait for a reader.
func TestOpenWaitsForTheReaderOfAPipe(t *testing.T) {
	path := pipe(t)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := OpenContext(ctx, path)
		done <- err
	}()
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// A symbolic link at the place of the results does not create a file elsewhere.
func TestOpenFollowsNoLinkToNothing(t *testing.T) {
	dir := t.TempDir()
	link, target := filepath.Join(dir, "link.jsonl"), filepath.Join(dir, "elsewhere")
	succeed(t, os.Symlink(target, link))
	want := "cannot write results to " + link + ": it is a symbolic link to a file that does not exist; name another file with output"
	if _, err := Open(link); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if _, err := os.Lstat(target); err == nil {
		t.Error("the target of the link was created")
	}
	succeed(t, os.WriteFile(target, nil, 0o666))
	w, err := Open(link)
	if err != nil {
		t.Fatalf("a link to a file: %v", err)
	}
	if err := errors.Join(w.WriteRun(sampleRun()), w.Close()); err != nil {
		t.Error(err)
	}
	if f, err := ReadFile(target); err != nil || len(f.Runs) != 1 {
		t.Errorf("the file has %d runs, error %v", len(f.Runs), err)
	}
}

// A file that is removed while it is written keeps no records, and one that is renamed all.
func TestAFileThatIsNotThereAnyMore(t *testing.T) {
	for name, c := range map[string]struct {
		change func(path string) error
		loses  bool
	}{
		"removed":  {os.Remove, true},
		"renamed":  {func(path string) error { return os.Rename(path, path+".old") }, false},
		"replaced": {func(path string) error { return errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o666)) }, true},
		"put aside": {func(path string) error {
			return errors.Join(os.Rename(path, path+".old"), os.WriteFile(path, nil, 0o666))
		}, false},
	} {
		path := filepath.Join(t.TempDir(), "results.jsonl")
		w := opened(t, path)
		succeed(t, w.WriteRun(sampleRun()), c.change(path))
		removed := "cannot write a result to " + path + ": the file was removed meanwhile, and the results before it with it"
		if err := w.WritePoint(samplePoint()); (err != nil) != c.loses || c.loses && err.Error() != removed {
			t.Errorf("%s: a row: %v", name, err)
		}
		err := w.Close()
		renamed, kept := errors.AsType[*RenamedError](err)
		if kept == c.loses || c.loses && err.Error() != removed {
			t.Errorf("%s: %v", name, err)
		}
		if f, err := ReadFile(path + ".old"); kept && (renamed.To != path+".old" || err != nil || len(f.Points) != 1) {
			t.Errorf("%s: %v, %v", name, renamed, err)
		}
	}
}

// A directory may be a link. Links to files in it are followed, and what is hidden is left out, as
// locks of editors are, which are links to nothing.
func TestFilesOfADirectory(t *testing.T) {
	dir, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	a := filepath.Join(dir, "sub", "a.jsonl")
	succeed(t, os.MkdirAll(filepath.Join(dir, ".old"), 0o777), os.Mkdir(filepath.Dir(a), 0o777), os.WriteFile(a, nil, 0o666),
		os.WriteFile(filepath.Join(dir, ".old", "c.jsonl"), nil, 0o666), os.Symlink(a, filepath.Join(dir, "b.jsonl")),
		os.Symlink("user@host.1", filepath.Join(dir, ".#a.jsonl")), os.Symlink(dir, link), os.Symlink(dir, filepath.Join(dir, "d.jsonl")))
	for _, path := range []string{dir, link} {
		got, err := Files(path)
		if want := []string{filepath.Join(path, "b.jsonl"), filepath.Join(path, "sub", "a.jsonl")}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
}

func gzipped(text string) string {
	var b strings.Builder
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

// Records are not replaced, nor what may be some and cannot be read; rows over launches and other
// files are.
func TestCheckReplace(t *testing.T) {
	records := resultFile(t, "")
	summary := filepath.Join(t.TempDir(), "rows.jsonl")
	w := opened(t, summary)
	succeed(t, w.WriteSummary(samplePoint()), w.Close())
	both := resultFile(t, "")
	rows, _ := os.ReadFile(summary)
	raw, _ := os.ReadFile(records)
	letter := filepath.Join(t.TempDir(), "letter.md")
	succeed(t, os.WriteFile(both, append(rows, raw...), 0o666), os.WriteFile(letter, []byte("Dear Sir"), 0o666))
	for path, want := range map[string]bool{records: false, both: false, summary: true, letter: true, letter + "x": true, t.TempDir(): true, os.DevNull: true} {
		if err := CheckReplace(path); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	damaged := "x" + string(raw)
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"another version":      {strings.ReplaceAll(string(raw), Schema, "gobench/999"), false},
		"a damaged first line": {strings.Replace(string(raw), `"kind":`, `"kind";`, 1), false},
		"in UTF-16":            {"\xff\xfe" + strings.Join(strings.Split(damaged, ""), "\x00") + "\x00", false},
		"damaged gzip":         {"\x1f\x8b" + string(raw), false},
		"packed, damaged":      {gzipped(strings.Replace(string(raw), `"kind":`, `"kind";`, 1)), false},
		"a packed other file":  {gzipped("a capsule\n" + string(raw)), true},
		"another program":      {`{"schema":"other/1"}` + "\n", true},
		"behind other text":    {damaged, false},
		"another text":         {"x " + string(raw[:bytes.IndexByte(raw, '\n')]), true},
	} {
		path := filepath.Join(t.TempDir(), "x")
		succeed(t, os.WriteFile(path, []byte(c.text), 0o666))
		if err := CheckReplace(path); (err == nil) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
