// Package launchtest makes a test binary act as the processes that a test starts: as ranks with a
// role, as launchers, on this host or on several.
package launchtest

import (
	"context"
	"fmt"
	"maps"
	"os"
	"testing"
	"time"

	"gobench/internal/launch/bridge"
	"gobench/internal/launch/detect"
	"gobench/launch"
	"gobench/launch/outcome"
	"gobench/launch/rendezvous"
)

// Watchdog is the time-out of a test for an event that must happen. It is no measurement:
// it only turns a hang into a failure.
const Watchdog = 5 * time.Minute

// EnvRole makes the test binary act as a program that is launched.
const EnvRole = "LAUNCH_TEST_ROLE"

// Main runs the tests, or, in a process that a test has started, the role it was given: that of a
// rank, or a launcher, which may be one of more.
func Main(m *testing.M, more map[string]func() int) {
	if bridge.Built { // with the tag pmix
		detect.RegisterBridge()
	}
	if len(os.Args) == 2 && os.Args[1] == rendezvous.BridgeVerb {
		if bridge.Serve(os.NewFile(rendezvous.BridgeFD, "rank"), bridge.Open) != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	name := os.Getenv(EnvRole)
	if name == "" {
		os.Exit(m.Run())
	}
	maps.Copy(launchers, more)
	if launcher, ok := launchers[name]; ok {
		os.Exit(launcher())
	}
	rank, err := rendezvous.FromEnv()
	if err != nil || rank == nil {
		fmt.Fprintln(os.Stderr, "no rank:", err)
		os.Exit(90)
	}
	ctx, cancel := context.WithTimeout(context.Background(), Watchdog)
	defer cancel()
	code := roles[name](ctx, rank)
	rank.Close()
	os.Exit(code)
}

// Spec is a job whose ranks play a role.
func Spec(role string, ranks int) launch.Spec {
	env := append(os.Environ(), EnvRole+"="+role,
		"GORACE=atexit_sleep_ms=0") // else every rank of a -race build takes a second to end
	return launch.Spec{Ranks: ranks, Args: []string{}, Env: env}
}

// Run runs a job under the watchdog.
func Run(t *testing.T, spec launch.Spec) *outcome.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Watchdog)
	defer cancel()
	result, err := launch.Local(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	return result
}
