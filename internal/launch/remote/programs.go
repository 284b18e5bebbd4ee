package remote

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"gobench/internal/launch/host"
	"gobench/internal/remedy"
)

// machines are the names that uname has for architectures.
var machines = map[string]string{"amd64": "x86_64", "arm64": "aarch64", "ppc64le": "ppc64le", "s390x": "s390x", "riscv64": "riscv64"}

// A program is the file that is sent to hosts of an architecture.
type program struct {
	arch, path, sum string
	packed          func() ([]byte, error) // compressed by gzip
}

// newProgram returns the program in a file.
func newProgram(arch, path string) (*program, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	p := &program{arch: arch, path: path, sum: hex.EncodeToString(h.Sum(nil))}
	p.packed = sync.OnceValues(p.pack) // once for all hosts
	return p, nil
}

// pack compresses the program. Fast compression halves it; a better one takes longer than a network
// of 1 Gbit/s.
func (p *program) pack() ([]byte, error) {
	f, err := os.Open(p.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(z, f); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// send writes the program to a host: its length in a line, and its bytes, compressed if the host
// has gzip.
func (p *program) send(w io.Writer, compressed bool) error {
	var content []byte
	var err error
	if compressed {
		content, err = p.packed()
	} else {
		content, err = os.ReadFile(p.path)
	}
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "%d\n", len(content)); err != nil {
		return err
	}
	_, err = w.Write(content)
	return err
}

// programs returns the programs that can be sent, by the names that uname has for architectures:
// this one, and those that lie beside its file under the name gobench-linux-ARCH, ARCH as Go names
// it, or in the directory ../lib/gobench.
var programs = sync.OnceValues(func() (map[string]*program, error) {
	all := map[string]*program{}
	own, err := newProgram(runtime.GOARCH, "/proc/self/exe")
	if errors.Is(err, fs.ErrPermission) {
		return nil, remedy.Errorf("this program cannot be copied to other hosts, because this user may not read its file: chmod a+r it, or use %v with the same file under the same path", remedy.Set("copy", "never"))
	}
	if err != nil {
		return nil, fmt.Errorf("this program cannot be copied to other hosts: %w", host.NoProc(err))
	}
	all[machines[own.arch]] = own
	executable, err := os.Executable()
	if err != nil {
		return all, nil // without /proc, in which the first one was found
	}
	addPrograms(all, filepath.Dir(executable))
	return all, nil
})

// addPrograms adds to all those in the directory of the executable, and in ../lib/gobench from
// there.
func addPrograms(all map[string]*program, beside string) {
	for _, directory := range []string{beside, filepath.Join(beside, "..", "lib", "gobench")} {
		for arch, machine := range machines {
			if all[machine] != nil {
				continue
			}
			if p, err := newProgram(arch, filepath.Join(directory, "gobench-linux-"+arch)); err == nil {
				all[machine] = p
			}
		}
	}
}

// sums returns words of a shell that choose the sum of the program by $m, the machine.
func sums(all map[string]*program) string {
	var b strings.Builder
	for _, machine := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%s) s=%s;; ", machine, all[machine].sum)
	}
	return b.String()
}

// sent reports whether a program with this sum is one of those that are sent to hosts of an
// architecture.
func sent(arch, sum string) bool {
	all, err := programs()
	return err == nil && all[machines[arch]] != nil && all[machines[arch]].sum == sum
}
