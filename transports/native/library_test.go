//go:build cgo && (verbs || mpi || ucx || ofi || gni || mxm || pmix)

package native

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"gobench/device"
)

// build compiles a library whose function answer has two versions.
func build(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	code := write("lib.c", `
int older(void) { return 1; }
int newer(void) { return 2; }
int other(void) { return 3; }
__asm__(".symver older,answer@OLD");
__asm__(".symver newer,answer@@NEW");
`)
	versions := write("lib.map", "OLD { global: answer; local: older; newer; };\nNEW { global: answer; other; } OLD;\n")
	file := filepath.Join(dir, "libanswer.so.1")
	cmd := exec.Command("gcc", "-shared", "-fPIC", "-Wl,--version-script="+versions, "-o", file, code)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return file
}

func TestFunctionsOfALibraryAreBoundByVersion(t *testing.T) {
	file := build(t)
	l, err := Open(Private, "libabsent.so.7", file)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if l.File() != file {
		t.Errorf("the library was opened as %s, not %s", l.File(), file)
	}
	var table [4]unsafe.Pointer
	if err := l.Bind(unsafe.Pointer(&table), []string{"answer@OLD", "answer", "?absent", "other"}); err != nil {
		t.Fatal(err)
	}
	own, err := NewCaller()
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	for i, want := range []int{1, 2, 0, 3} {
		if (table[i] == nil) != (want == 0) {
			t.Errorf("entry %d of the table is %v", i, table[i])
		} else if want != 0 && own.Call(table[i], 0, 0) != want {
			t.Errorf("function %d returns %d, want %d", i, own.Call(table[i], 0, 0), want)
		}
	}
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	_, absent := Open(Private, "libabsent.so.7", "libabsent.so.6")
	file := build(t)
	l, err := Open(Private, file)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	table := [2]uintptr{1}
	unversioned := l.Bind(unsafe.Pointer(&table), []string{"other", "answer@LATER"})
	if table[0] != 0 {
		t.Error("a table that is not complete looks complete")
	}
	for _, c := range []struct {
		err    error
		kind   Kind
		phrase string
		remedy string
	}{
		{absent, Absent, "libabsent.so.7, libabsent.so.6: cannot open shared object file", "install it, or add its directory to LD_LIBRARY_PATH"},
		{unversioned, TooOld, "it has no function answer of version LATER", "install a later version of it"},
		{l.Bind(unsafe.Pointer(&table), []string{"nothing"}), TooOld, "it has no function nothing", "later version"},
		{Older(file, "1.2", "1.10"), TooOld, "its version is 1.2, and 1.10 or later is needed", "later version"},
		{Differs(file, "2", "1"), OtherABI, "its ABI is 2, and this binary was built for 1", "headers of this library"},
	} {
		var e *Error
		if !errors.As(c.err, &e) || e.Kind != c.kind || !strings.Contains(e.Error(), c.phrase) {
			t.Errorf("the error is %v, want one of kind %d with %q", c.err, c.kind, c.phrase)
		}
		var u *device.UnavailableError
		if !errors.As(Unavailable("x", c.err, "it"), &u) || !strings.Contains(u.Remedy, c.remedy) {
			t.Errorf("the remedy for %v is %q, want %q", c.err, u.Remedy, c.remedy)
		}
	}
}

func TestNamesEndWithNull(t *testing.T) {
	one, two := append([]byte("one"), 0), append([]byte("two"), 0)
	array := []*byte{&one[0], &two[0], nil}
	if got := Names(unsafe.Pointer(&array[0])); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("the names are %q", got)
	}
}
