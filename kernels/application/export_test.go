package application

// GatherWaits is gatherWaits.
var GatherWaits = gatherWaits

// Copied is copied.
var Copied = copied
