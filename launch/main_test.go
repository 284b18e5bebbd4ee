package launch

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"gobench/launch/bridge"
	"gobench/launch/detect"
)

// watchdog is the time-out of a test for an event that must happen. It is no measurement:
// it only turns a hang into a failure.
const watchdog = 5 * time.Minute

// envRole makes the test binary act as a program that is launched.
const envRole = "LAUNCH_TEST_ROLE"

// TestMain runs the tests, or, in a process that a test has started, the role it
// was given.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "agent" {
		os.Exit(agentRole(os.Args[2]))
	}
	if bridge.Built { // with the tag pmix
		detect.RegisterBridge()
	}
	if len(os.Args) == 2 && os.Args[1] == BridgeVerb {
		if bridge.Serve(os.NewFile(BridgeFD, "rank"), bridge.Open) != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	name := os.Getenv(envRole)
	if name == "" {
		os.Exit(m.Run())
	}
	if launcher, ok := launchers[name]; ok {
		os.Exit(launcher())
	}
	rank, err := FromEnv()
	if err != nil || rank == nil {
		fmt.Fprintln(os.Stderr, "no rank:", err)
		os.Exit(90)
	}
	ctx, cancel := context.WithTimeout(context.Background(), watchdog)
	defer cancel()
	code := roles[name](ctx, rank)
	rank.Close()
	os.Exit(code)
}

// roleSpec is a job whose ranks play a role.
func roleSpec(role string, ranks int) Spec {
	env := append(os.Environ(), envRole+"="+role,
		"GORACE=atexit_sleep_ms=0") // else every rank of a -race build takes a second to end
	return Spec{Ranks: ranks, Args: []string{}, Env: env}
}

// runLocal runs a job under the watchdog.
func runLocal(t *testing.T, spec Spec) *Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), watchdog)
	defer cancel()
	result, err := Local(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	return result
}
