// Package bench is how gobench measures: it runs a plan of cells (benchmark,
// size, factors) over a device.Channel and hands one record.Point per cell to
// a Sink. The rules are those of measurement.md; each file here is one of
// them.
//
// All ranks of a job call Run with the same plan. Rank 0 conducts: it sends a
// command (check, time a block, calibrate, end), every rank executes it, and
// every rank reports. So all ranks agree on what happens next, always outside
// the timed region, and an error, a defect or Ctrl-C on any rank ends the run
// on all of them.
//
// A benchmark is a Benchmark value with an Op; package micro has examples.
package bench
