// Package decorator wraps a device.Channel or device.Device in one that
// behaves a little differently: Delay slows its sends down, Drop loses a peer,
// Corrupt damages a received byte, Traced records what was called. CountWire
// does the like for the wire below the protocol.
//
// Each takes and returns device.Channel or device.Device, as the type
// parameter says. What is wrapped keeps its abilities: a wrapped Device is a Device
// even where it is passed as a Channel, and a device.CoreLatencyMeter stays one.
//
// The package imports no testing code, so that a program can use it, for
// instance to show that its data check works. The decorators of faults keep
// tables of requests and are not made for timed runs; Traced allocates nothing
// per operation.
package decorator
