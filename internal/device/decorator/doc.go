// Package decorator wraps a device.Channel or device.Device to inject faults or to observe it:
// Delay delays sends, Drop simulates the loss of a peer, CorruptIn damages received data, and Wrap
// calls any Hook.
//
// Each decorator takes and returns a device.Channel or a device.Device, according to its type
// parameter. A wrapped Device is a Device even where it is passed as a Channel. A device.Binder, a
// device.Confiner and a device.CoreLatencyMeter stay what they are, and CorruptIn keeps a
// device.Linker, whose loops it damages, without the CoreLatencyMeter. Regions are there for
// CorruptIn alone. The result has no other optional interface.
//
// The package imports no testing code, so that programs can use it, for instance to verify their
// data check. The decorators that inject faults keep tables of requests and are not meant for timed
// runs. Wrap allocates nothing per operation.
package decorator
