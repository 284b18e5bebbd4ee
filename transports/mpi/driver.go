package mpi

import (
	"context"
	"fmt"

	"gobench/device"
)

const name = "mpi"

func init() { device.Register(driver{}) }

// driver implements device.Driver, device.RawOpener and device.Joiner.
type driver struct{}

var (
	_ device.RawOpener = driver{}
	_ device.Joiner    = driver{}
)

func (driver) Name() string  { return name }
func (driver) About() string { return "an MPI library, by its point-to-point calls: Open MPI, MPICH" }

// Probe looks for an MPI library that this binary can call.
func (driver) Probe() error { return probe() }

func (driver) Options() []device.Option {
	return []device.Option{
		{Name: "wait", Kind: device.Word, Default: "auto", Values: []string{"auto", "library", "yield"},
			Help: "library waits in blocking calls of MPI; yield tests and releases the processor; auto yields when ranks outnumber processors"},
		{Name: "loop", Kind: device.Word, Default: "go", Values: []string{"go", "native"},
			Help: "ping-pong of level raw: go makes a call for each message, native runs a loop in C as in IMB and OSU"},
	}
}

// Join implements device.Joiner.
func (driver) Join() (device.JoinedJob, error) { return join() }

// Launch implements device.Joiner.
func (driver) Launch(n int, program string) string {
	return fmt.Sprintf("mpiexec -n %d %s", n, program)
}

// Open makes a device of all ranks.
func (driver) Open(ctx context.Context, job device.Job, opts device.Options) (device.Device, error) {
	return open(ctx, job, opts)
}

// OpenRaw makes a channel of bare MPI_Send and MPI_Recv for level "raw".
func (driver) OpenRaw(ctx context.Context, job device.Job, opts device.Options) (device.Channel, error) {
	return openRaw(ctx, job, opts)
}

// Reason and remedy where no library's interface is in the program: it was built without the tag
// mpi, or without any header of MPI.
const (
	withoutMPI = "this gobench was built without MPI"
	buildMPI   = "build with make build-mpi, which needs gcc and libopenmpi-dev or libmpich-dev"
)

func unavailable(reason, remedy string) error {
	return &device.UnavailableError{Transport: name, Reason: reason, Remedy: remedy}
}
