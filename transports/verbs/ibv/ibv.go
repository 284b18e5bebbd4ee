//go:build verbs && cgo

package ibv

// #cgo CFLAGS: -O2 -Wall -Wextra -Wno-unused-parameter -Werror
// #cgo noescape gb_async
// #cgo nocallback gb_async
// #cgo noescape gb_register
// #cgo nocallback gb_register
// #cgo noescape gb_write
// #cgo nocallback gb_write
// #cgo noescape gb_read
// #cgo nocallback gb_read
// #cgo noescape gb_atomic
// #cgo nocallback gb_atomic
// #cgo noescape gb_alive
// #cgo nocallback gb_alive
// #include <stdlib.h>
// #include "rail.h"
import "C"

import (
	"fmt"
	"path/filepath"
	"sync"
	"syscall"
	"unsafe"

	"gobench/transports/native"
)

// libraries holds the open libraries.
var libraries struct {
	sync.Mutex
	verbs, cm *native.Library
	users     int // of cm
}

// load opens a library and fills its table.
func load(file string, table unsafe.Pointer, names **C.char) (*native.Library, error) {
	l, err := native.Open(native.Private, file)
	if err != nil {
		return nil, err
	}
	if err := l.Bind(table, native.Names(unsafe.Pointer(names))); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// Load opens libibverbs permanently. The error names the missing library or function.
func Load() (err error) {
	libraries.Lock()
	defer libraries.Unlock()
	if libraries.verbs == nil {
		libraries.verbs, err = load("libibverbs.so.1", unsafe.Pointer(&C.verbs), C.gb_verbs_names())
	}
	return err
}

// Library returns the file of the open libibverbs, whose name ends in the version. emulated reports
// whether it is the emulator of the tests, which implements XRC over RC.
func Library() (file string, emulated bool) {
	libraries.Lock()
	defer libraries.Unlock()
	file = libraries.verbs.File()
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	return file, C.verbs.emulated != nil
}

// LoadCM opens librdmacm until UnloadCM. The library keeps the devices open while it is loaded.
func LoadCM() (err error) {
	libraries.Lock()
	defer libraries.Unlock()
	if libraries.users == 0 {
		libraries.cm, err = load("librdmacm.so.1", unsafe.Pointer(&C.cm), C.gb_cm_names())
	}
	if err == nil {
		libraries.users++
	}
	return err
}

// UnloadCM releases one LoadCM. The last one closes librdmacm and then its devices, in this order,
// because the library would still access them.
func UnloadCM() {
	libraries.Lock()
	defer libraries.Unlock()
	if libraries.users--; libraries.users > 0 {
		return
	}
	open := C.gb_cm_devices()
	libraries.cm.Close()
	C.gb_close_devices(open)
}

// A CallError reports a failed library call.
type CallError struct {
	Call  string
	Errno syscall.Errno
}

func (e *CallError) Error() string {
	return fmt.Sprintf("%s: %s (%s)", e.Call, e.Errno, errnoName(e.Errno))
}

func (e *CallError) Unwrap() error { return e.Errno }

// A LimitError reports that a rail needs more of a resource than its device has.
type LimitError struct {
	What      string
	Want, Max uint64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%d %s are needed, and the device has %d", e.Want, e.What, e.Max)
}

func errnoName(e syscall.Errno) string {
	switch e {
	case syscall.ENOMEM:
		return "ENOMEM"
	case syscall.EPERM:
		return "EPERM"
	case syscall.EINVAL:
		return "EINVAL"
	case syscall.ENOSYS:
		return "ENOSYS"
	case syscall.ETIMEDOUT:
		return "ETIMEDOUT"
	case syscall.ENODEV:
		return "ENODEV"
	}
	return fmt.Sprintf("errno %d", int(e))
}

// Devices lists the names of the devices that libibverbs finds.
func Devices() ([]string, error) {
	var n C.int
	list, err := C.gb_list(&n)
	if list == nil {
		errno, _ := err.(syscall.Errno)
		return nil, &CallError{"ibv_get_device_list", errno}
	}
	defer C.gb_free_list(list)
	var names []string
	for _, d := range unsafe.Slice(list, int(n)) {
		names = append(names, C.GoString(C.gb_device_name(d)))
	}
	return names, nil
}
