//go:build mpi && cgo

package mpi

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/internal/blocking"
	"gobench/transports/mpi/library"
)

// started is the MPI of this process, nil before Join. MPI can be started once in a process.
var started *job

// job implements device.JoinedJob.
type job struct {
	library.Facts
	abi    string // of the library
	status *library.Status
	thread int // that calls the library
	ended  bool
}

// probe returns nil if a library is installed for whose ABI this binary has an object.
func probe() error {
	var reasons []string
	for _, f := range append(families[:len(families):len(families)], standard) {
		if !library.Compiled(f.name) {
			continue
		}
		if _, err := library.Version(f.libraries); err == nil {
			return nil
		} else {
			reasons = append(reasons, err.Error())
		}
	}
	if reasons == nil {
		return unavailable(withoutMPI, buildMPI)
	}
	return unavailable(strings.Join(reasons, "; "), "install openmpi-bin or mpich")
}

// installed names the families whose libraries are installed.
func installed() string {
	var names []string
	for _, f := range append(families[:len(families):len(families)], standard) {
		if v, err := library.Version(f.libraries); err == nil && library.Compiled(f.name) {
			names = append(names, v)
		}
	}
	if len(names) == 0 {
		return "no MPI library"
	}
	return strings.Join(names, " and ")
}

// join starts the library of the launcher that started this process.
func join() (device.JoinedJob, error) {
	f, size, err := launchedBy(os.LookupEnv)
	if f == nil || err != nil {
		return nil, err
	}
	if started != nil {
		return nil, errors.New("MPI was started in this process already, and cannot be started again")
	}
	abis, err := f.abis(os.LookupEnv)
	if err != nil {
		return nil, err
	}
	runtime.LockOSThread()
	// Go's monitor takes the only processor from a thread that is in a call of C for more than 20
	// us, and polls every 20 us from then on, on the core to which the launcher has bound this
	// rank. With an idle processor it waits for 10 ms.
	runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0)))
	j := &job{thread: unix.Gettid()}
	if j.abi, err = load(abis); err != nil {
		return nil, unavailable(fmt.Sprintf("this process was started by %s, and no library of it can be opened (%v); here is %s", f.launcher, err, installed()),
			"start it by the launcher of the library that is here, or install the other one")
	}
	if j.Facts, j.status, err = library.Start(); err != nil {
		return nil, err
	}
	started = j
	if size > 0 && size != j.Facts.Size {
		return nil, fmt.Errorf("%s has started %d ranks, but MPI (%s) finds %d: the launcher belongs to another library, and each rank would be a job of its own; use the mpiexec of the library", f.launcher, size, j.Version, j.Facts.Size)
	}
	return j, nil
}

// load opens the first library that is installed, and returns the name of its ABI.
func load(abis []*family) (string, error) {
	var reasons []string
	for _, f := range abis {
		if !library.Compiled(f.name) {
			reasons = append(reasons, fmt.Sprintf("this gobench was built without %s: build with make build-mpi where its compiler is installed", f.about))
			continue
		}
		err := library.Load(f.name, f.libraries)
		if err == nil {
			return f.name, nil
		}
		reasons = append(reasons, f.about+": "+err.Error())
	}
	return "", errors.New(strings.Join(reasons, "; "))
}

func (j *job) Rank() int { return j.Facts.Rank }
func (j *job) Size() int { return j.Facts.Size }

// Exchange implements device.JoinedJob: the lengths first, then the blobs, padded to one length.
// MPI cannot cancel an exchange, so none is possible after ctx has ended during one.
func (j *job) Exchange(ctx context.Context, blob []byte) ([][]byte, error) {
	var mine [8]byte
	binary.LittleEndian.PutUint64(mine[:], uint64(len(blob)))
	lengths := make([]byte, 8*j.Size())
	if err := j.gather(ctx, mine[:], lengths); err != nil {
		return nil, err
	}
	length := func(rank int) int { return int(binary.LittleEndian.Uint64(lengths[8*rank:])) }
	longest := 1
	for rank := range j.Size() {
		longest = max(longest, length(rank))
	}
	out, in := make([]byte, longest), make([]byte, longest*j.Size())
	copy(out, blob)
	if err := j.gather(ctx, out, in); err != nil {
		return nil, err
	}
	blobs := make([][]byte, j.Size())
	for rank := range blobs {
		blobs[rank] = in[rank*longest:][:length(rank):length(rank)]
	}
	return blobs, nil
}

func (j *job) gather(ctx context.Context, mine, all []byte) error {
	if err := library.Gather(mine, all); err != nil {
		return err
	}
	for {
		done, err := library.Gathered()
		switch {
		case done || err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
		blocking.Yield(false)
	}
}

// Close implements device.JoinedJob.
func (j *job) Close() error {
	if j.ended {
		return nil
	}
	j.ended = true
	return library.Finish()
}
