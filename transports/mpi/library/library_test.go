//go:build mpi && cgo

package library

import (
	"os"
	"testing"

	"gobench/transports/native"
)

// The object of an ABI can be opened from a file, which does not stay, where memory is refused.
func TestObjectFromAFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	tried := false
	for abi, library := range map[string]string{"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"} {
		object, err := objects.ReadFile("abi/" + abi + ".so")
		if err != nil {
			continue // not built
		}
		if _, err := native.Open(native.Shared, library); err != nil {
			continue
		}
		tried = true
		for name, open := range map[string]func([]byte) (*native.Library, error){"memory": fromMemory, "file": fromFile} {
			shim, err := open(object)
			if err != nil {
				t.Fatalf("%s from %s: %v", abi, name, err)
			}
			if shim.Function("gb_mpi") == nil {
				t.Errorf("%s from %s has no function gb_mpi", abi, name)
			}
		}
		break // one MPI library in a process
	}
	if !tried {
		t.Skip("SKIPPED: no MPI library with its object is here: scripts/test-mpi.sh builds them")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%d files stay, %v", len(left), err)
	}
}
