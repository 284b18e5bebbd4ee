package application

// GatherWaits is gatherWaits.
var GatherWaits = gatherWaits
