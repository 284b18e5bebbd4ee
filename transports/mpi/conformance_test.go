//go:build mpi && cgo

package mpi

import (
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"gobench/device/devicetest"
)

func TestMain(m *testing.M) {
	if signal := os.Getenv(dieEnv); signal != "" {
		os.Exit(dies(signal))
	}
	os.Exit(devicetest.Main(m))
}

// launchers start ranks of the libraries that can be installed side by side.
var launchers = []struct {
	family  string
	command []string
}{
	{"openmpi", []string{"mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"}},
	{"mpich", []string{"mpiexec.hydra"}},
}

// unlike are the rules of a device that MPI does not keep, see the package's documentation.
var unlike = map[string]string{
	"truncation":                   tooLong,
	"truncation of a self message": tooLong,
	"cancel a send":                "MPI_Cancel of a send does nothing in these libraries",
	"10000 unexpected messages":    "the memory for them is the library's: 38 MB in MPICH 4.0.2",
	"a rank closes early":          "MPI does not tell ranks of one that leaves",
}

// tooLong was seen with Open MPI 4.1.4, which stores 4096 bytes and more behind a shorter buffer,
// and reports no error for 8 bytes to the own rank, and with MPICH 4.0.2.
const tooLong = "a message that is longer than its receive is a fault of the program: Open MPI writes beyond the buffer, MPICH stores nothing"

func TestConformance(t *testing.T) {
	for _, l := range launchers {
		t.Run(l.family, func(t *testing.T) {
			if _, err := exec.LookPath(l.command[0]); err != nil {
				t.Skipf("%s is not installed", l.command[0])
			}
			devicetest.RunLaunched(t, devicetest.Subject{Driver: driver{}, Without: unlike, Largest: true, MostRanks: 4, Limit: 20 * time.Second},
				func(n int, program string) []string {
					return append(l.command[:len(l.command):len(l.command)], "-n", strconv.Itoa(n), program)
				})
		})
	}
}
