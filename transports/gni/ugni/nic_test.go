//go:build gni && cgo

package ugni

import (
	"errors"
	"strings"
	"testing"

	"gobench/transports/native"
	"gobench/transports/native/nativetest"
)

// Each library that cannot be used is named, with the reason. The emulator reads its faults when
// its first function is called, and is unloaded after each.
func TestLibrariesThatCannotBeUsed(t *testing.T) {
	file := nativetest.Library(t, "libugni.so.0")
	for _, c := range []struct{ fault, file, want string }{
		{"", "/nowhere/libugni.so.0", "cannot open shared object file"},
		{"", "libc.so.6", "it has no function GNI_GetVersion"},
		{"version=0x540000", file, "its version is 0x540000, and 0x550000 or later is needed"},
		{"fail=GNI_GetVersion:3", file, "GNI_RC_ERROR_RESOURCE"},
		{"fail=GNI_GetDeviceType:9", file, "GNI_RC_NO_MATCH"},
		{"fail=GNI_GetNumLocalDevices:5", file, "GNI_RC_PERMISSION_ERROR"},
	} {
		t.Setenv("GOBENCH_GNI_EMULATOR", c.fault)
		_, err := load(c.file)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: the error is %v, want %q in it", c.file, c.fault, err, c.want)
			continue
		}
		var absent *native.Error
		var call *Error
		if !errors.As(err, &absent) && !errors.As(err, &call) {
			t.Errorf("%s, %s: an error without a type: %v", c.file, c.fault, err)
		}
	}
	t.Setenv("GOBENCH_GNI_EMULATOR", "")
	l, err := load(file)
	if err != nil || !l.Emulated || l.Device != "Aries" || l.File != file {
		t.Errorf("the emulator is loaded as %+v, %v", l, err)
	}
}
