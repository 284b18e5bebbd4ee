// Package devicetest holds the rules of package device as tests: one
// conformance suite, which every transport runs and passes.
//
// A transport's test has two parts. TestMain lets the test binary start
// copies of itself as ranks, and one test runs the rules:
//
//	func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }
//
//	func TestConformance(t *testing.T) {
//		devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Processes})
//	}
//
// A rule is a function that every rank of a small job runs on its own device.
// The same function runs with ranks as goroutines and as processes. Processes that
// neither die nor close their device run further rules on the same device. Ranks
// synchronise by messages, never by sleeping, and every rule has a time limit;
// a rule that exceeds it fails, and the failure names the operation that each rank is in.
//
// Random rules print their seed when they fail; GOBENCH_SEED repeats one.
package devicetest
