// Package pmix calls libpmix, the client library of the servers that mpirun of Open MPI, prterun
// and srun --mpi=pmix run. It is opened when the program runs (package native); builds without cgo,
// or without the tag pmix, have no client.
//
// Types and constants come from the library's header pmix_common.h, unchanged from version 3 to
// 6 of the standard, so that no header is needed to build.
package pmix

import "fmt"

// An Error is a call of libpmix that failed.
type Error struct {
	Call string // the function
	Code int    // pmix_status_t
	Text string // the library's text
}

func (e *Error) Error() string { return fmt.Sprintf("%s of libpmix: %s (%d)", e.Call, e.Text, e.Code) }

// Install is the remedy where libpmix is missing.
const Install = "apt-get install libpmix2, or add the directory of libpmix.so.2 to LD_LIBRARY_PATH"
