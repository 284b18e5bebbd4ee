//go:build cgo && (verbs || mpi || ucx || ofi || gni || mxm || pmix)

package native

// #cgo CFLAGS: -O2 -Wall -Wextra -Werror
// #cgo LDFLAGS: -ldl
// #define _GNU_SOURCE
// #include <dlfcn.h>
// #include <link.h>
// #include <stdlib.h>
//
// static const char *file_of(void *library)
// {
//	struct link_map *map;
//	return dlinfo(library, RTLD_DI_LINKMAP, &map) ? NULL : map->l_name;
// }
import "C"

import (
	"os"
	"strings"
	"unsafe"
)

// A Library is an open shared library. The tables bound to it are valid until Close.
type Library struct {
	handle unsafe.Pointer
	file   string
}

// A Mode selects how the loader binds a library.
type Mode int

const (
	// Private binds all functions when it opens, for this handle only.
	Private Mode = C.RTLD_NOW | C.RTLD_LOCAL
	// Shared binds functions when they are first called, and lets libraries that are opened later
	// use them, as plugins of MPI libraries need.
	Shared Mode = C.RTLD_LAZY | C.RTLD_GLOBAL
)

// Open opens the first of the files that the dynamic loader finds, by file name or path.
func Open(mode Mode, files ...string) (*Library, error) {
	var reasons []string
	for _, file := range files {
		name := C.CString(file)
		handle := C.dlopen(name, C.int(mode))
		C.free(unsafe.Pointer(name))
		if handle == nil {
			reasons = append(reasons, strings.TrimPrefix(C.GoString(C.dlerror()), file+": "))
			continue
		}
		l := &Library{handle, file}
		if where := C.file_of(handle); where != nil && C.GoString(where) != "" {
			l.file = C.GoString(where)
		}
		return l, nil
	}
	return nil, &Error{Absent, strings.Join(files, ", "), strings.Join(reasons, "; ")}
}

// File returns the path of the file.
func (l *Library) File() string { return l.file }

// Function returns the address of a function, nil if the library does not have it. The name may end
// in @VERSION, which selects a symbol version instead of the newest one.
func (l *Library) Function(name string) unsafe.Pointer {
	name, version, versioned := strings.Cut(name, "@")
	n := C.CString(name)
	defer C.free(unsafe.Pointer(n))
	if !versioned {
		return C.dlsym(l.handle, n)
	}
	v := C.CString(version)
	defer C.free(unsafe.Pointer(v))
	return C.dlvsym(l.handle, n, v)
}

// Bind stores the addresses of functions in a table in C's memory, in the order of their names. A
// name that begins with "?" may be missing; its entry is NULL then. With an error the first entry
// of the table is NULL.
func (l *Library) Bind(table unsafe.Pointer, names []string) error {
	entries := unsafe.Slice((*uintptr)(table), len(names))
	for i, name := range names {
		name, optional := strings.CutPrefix(name, "?")
		f := l.Function(name)
		if f == nil && !optional {
			entries[0] = 0
			return &Error{TooOld, l.file, "it has no function " + strings.Replace(name, "@", " of version ", 1)}
		}
		entries[i] = uintptr(f)
	}
	return nil
}

// Names reads an array of C strings that ends with NULL.
func Names(array unsafe.Pointer) []string {
	var names []string
	for p := (**C.char)(array); *p != nil; p = (**C.char)(unsafe.Add(unsafe.Pointer(p), unsafe.Sizeof(*p))) {
		names = append(names, C.GoString(*p))
	}
	return names
}

// Environment sets variables of the environment that the user has not set. It returns those whose
// names begin with prefix and that the user has set to other values.
func Environment(prefix string, settings map[string]string) (asked map[string]string) {
	asked = map[string]string{}
	for _, v := range os.Environ() {
		if name, value, _ := strings.Cut(v, "="); strings.HasPrefix(name, prefix) && settings[name] != value {
			asked[name] = value
		}
	}
	for name, value := range settings {
		if _, set := os.LookupEnv(name); !set {
			os.Setenv(name, value)
		}
	}
	return asked
}

// Close unloads the library. Libraries that keep threads, signal handlers or devices are not
// closed.
func (l *Library) Close() { C.dlclose(l.handle) }
