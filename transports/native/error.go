// Package native opens vendors' network libraries at run time, so that a binary with all transports
// starts on a host that has only the C library. It also implements the calls into these libraries
// on the data path (Caller, Turn).
//
// The table of a library is a struct of function pointers, written in C with the vendor's header:
//
//	#define FUNCTIONS(X) X(ucp_get_version) X(ucp_cleanup)
//	#define MEMBER(f) __typeof__(&f) f;
//	#define NAME(f) #f,
//	struct table { FUNCTIONS(MEMBER) };
//	static const char *const names[] = { FUNCTIONS(NAME) NULL };
//
// Open and Bind fill it, and the version is checked. A missing library or function is an *Error.
package native

import (
	"errors"
	"fmt"

	"gobench/device"
)

// Kind is the kind of an Error.
type Kind int

const (
	Absent   Kind = iota // no library with this name can be opened
	TooOld               // it lacks a function, or the required version of one
	OtherABI             // its functions have other types or structs than those of this binary
	InUse                // this process has another library open in its place
)

// An Error reports why a library cannot be used.
type Error struct {
	Kind    Kind
	Library string // the file, or the names that were tried
	Reason  string
}

func (e *Error) Error() string { return e.Library + ": " + e.Reason }

// Older returns the error for a library whose version is below the one that is needed.
func Older(library, version, need string) error {
	return &Error{TooOld, library, fmt.Sprintf("its version is %s, and %s or later is needed", version, need)}
}

// Differs returns the error for a library whose ABI is not the one that this binary was built for.
func Differs(library, found, want string) error {
	return &Error{OtherABI, library, fmt.Sprintf("its ABI is %s, and this binary was built for %s", found, want)}
}

// Another returns the error for a library in whose place this process has another one open.
func Another(open, library string) error {
	return &Error{InUse, library, "this process uses " + open + " already"}
}

// Unavailable returns the error of a driver's Probe for err of its library. source is the package,
// or another source, of the library.
func Unavailable(transport string, err error, source string) error {
	remedy := "install " + source
	if e, ok := errors.AsType[*Error](err); ok {
		switch e.Kind {
		case Absent:
			remedy += ", or add its directory to LD_LIBRARY_PATH"
		case TooOld:
			remedy = "install a later version of " + source
		case OtherABI:
			remedy = "build gobench with the headers of this library"
		case InUse:
			remedy = "name the same library in the whole process"
		}
	}
	return &device.UnavailableError{Transport: transport, Reason: err.Error(), Remedy: remedy}
}
