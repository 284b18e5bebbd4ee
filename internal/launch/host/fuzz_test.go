package host

import (
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"

	"gobench/internal/fuzzing"
)

// A list of cores that is read is the same once it is written, but for its order and what is in it
// twice.
func FuzzParseCores(t *testing.F) {
	f := fuzzing.New(t)
	for _, s := range []string{"0-3,8,10", "", "2, 3", "3-1", "0-65536", "7,7,5-7"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 32 { // a few ranges, which may be long
			return
		}
		cores, err := ParseCores(s)
		if err != nil || cores == nil {
			return
		}
		slices.Sort(cores)
		cores = slices.Compact(cores)
		if again, err := ParseCores(FormatCores(cores)); err != nil || !slices.Equal(again, cores) {
			t.Errorf("%q is %v, written %s", s, cores, FormatCores(cores))
		}
	})
}

// everywhere is a file system that has one text in all files and the same names in all directories.
type everywhere struct {
	text  []byte
	names []fs.DirEntry
}

func (e everywhere) Open(string) (fs.File, error)           { return nil, fs.ErrNotExist }
func (e everywhere) ReadFile(string) ([]byte, error)        { return e.text, nil }
func (e everywhere) ReadDir(string) ([]fs.DirEntry, error)  { return e.names, nil }
func (e everywhere) Stat(string) (fs.FileInfo, error)       { return nil, fs.ErrNotExist }
func (e everywhere) ReadLink(string) (string, error)        { return string(e.text), nil }
func (e everywhere) Lstat(name string) (fs.FileInfo, error) { return e.Stat(name) }

// With any content of the kernel's files a fact is read or absent.
func FuzzFacts(t *testing.F) {
	f := fuzzing.New(t)
	all := fstest.MapFS{}
	for _, name := range []string{"cpu0", "cpu1", "index0", "index3", "node0", "node1", "eth0", "hugepages-2048kB", "mlx5_0", "1"} {
		all[name] = &fstest.MapFile{}
	}
	names, err := all.ReadDir(".")
	if err != nil {
		f.Fatal(err)
	}
	readers := []func(t tree){
		func(t tree) { readTopology(t) },
		func(t tree) { readCPU(t, Topology{}) },
		func(t tree) { readCaches(t) },
		func(t tree) { readNodes(t) },
		func(t tree) { readMemory(t) },
		func(t tree) { readNICs(t) },
		func(t tree) { readMitigations(t) },
		func(t tree) { readLimits(t) },
		func(t tree) { readLoad(t) },
		func(t tree) { readHypervisor(t) },
	}
	for i := range readers {
		f.Add(byte(i), []byte("0-3,8\n"))
	}
	f.Add(byte(1), []byte("processor : 0\nmodel name : A CPU\nflags : fpu hypervisor\ncpu MHz : 3000.1\n"))
	f.Add(byte(4), []byte("MemTotal: 16384 kB\nHugePages_Total: 3\n"))
	f.Add(byte(7), []byte("0::/a/b\n4:memory:/x\nMax locked memory  65536  65536  bytes\nmax 100000\n"))
	f.Add(byte(8), []byte("0.5 0.4 0.3 2/345 678\n"))
	f.Fuzz(func(t *testing.T, reader byte, text []byte) {
		if len(text) < 512 {
			readers[int(reader)%len(readers)](tree{everywhere{text, names}})
		}
	})
}
