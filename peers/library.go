package main

import (
	"path/filepath"
	"slices"
	"strconv"
)

// A library is an MPI: its launcher, with binding left to our program, and the suffix of programs
// linked to it.
type library struct {
	launcher []string
	ending   string
}

// The libraries that are compared.
var (
	openMPI = library{[]string{"mpirun.openmpi", "--oversubscribe", "--bind-to", "none"}, ".openmpi"}
	mpich   = library{[]string{"mpiexec.mpich", "-bind-to", "none"}, ".mpich"}
)

// asRoot lets Open MPI run as root, as in containers.
var asRoot = []string{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"}

// Options that choose how Open MPI moves messages.
var (
	vader   = []string{"--mca", "pml", "ob1", "--mca", "btl", "self,vader"}
	noCMA   = append(slices.Clip(vader), "--mca", "btl_vader_single_copy_mechanism", "none")
	overUCX = []string{"--mca", "pml", "ucx", "--mca", "pml_ucx_tls", "any", "--mca", "pml_ucx_devices", "any"}
	btlTCP  = []string{"--mca", "pml", "ob1", "--mca", "btl", "self,tcp"}
)

// tcpOnly restricts UCX to sockets.
var tcpOnly = []string{"UCX_TLS=tcp,self"}

// needs returns the executables that one of our programs needs under the library.
func (l library) needs(s settings, program string) []string {
	return []string{l.launcher[0], filepath.Join(s.c, program+l.ending)}
}

// launch returns the command line that starts ranks of a program.
func (l library) launch(ranks int, options []string, program string, args ...string) []string {
	return slices.Concat(l.launcher, []string{"-n", strconv.Itoa(ranks)}, options, []string{program + l.ending}, args)
}
