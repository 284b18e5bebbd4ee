// Package decorator wraps a device.Channel or device.Device to inject faults or to observe it:
// Delay delays sends, Drop simulates the loss of a peer, Corrupt damages received data, and Traced
// records calls.
//
// Each decorator takes and returns a device.Channel or a device.Device, according to its type
// parameter. A wrapped Device is a Device even where it is passed as a Channel. A device.Binder and
// a device.CoreLatencyMeter stay what they are, and Corrupt keeps a device.Linker, whose loops it
// damages, without the CoreLatencyMeter. Regions are there for Corrupt alone. The result has no
// other optional interface.
//
// The package imports no testing code, so that programs can use it, for instance to verify their
// data check. The decorators that inject faults keep tables of requests and are not meant for timed
// runs. Traced allocates nothing per operation.
package decorator
