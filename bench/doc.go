// Package bench runs benchmarks: it measures a plan of cases (benchmark, size, factors) over a
// device.Channel and hands one record.Point per case to a Sink. docs/methods.md lists the
// measurement rules that comments here cite by number.
//
// A benchmark is a Benchmark value with an Op; package micro has examples. Its author needs
// benchmark.go (Benchmark, Op, Env), plan.go (Plan, Case), sizes.go, run.go (Run, Sink) and
// errors.go.
//
// The other files are the runner. All ranks of a job call Run with the same plan. Rank 0
// (conductor.go) sends commands (control.go): check, time a block, calibrate, end. Every rank
// executes them (rank.go) and reports. So all ranks agree on the next step, always outside the
// timed region, and an error, a defect or an interrupt on any rank ends the run on all of them. The
// timed region is in block.go and gate.go.
//
// Authors and the runner share one package because the runner needs the unexported parts of Env
// and Plan, as package testing does for B.
package bench
