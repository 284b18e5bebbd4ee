package hybrid

import (
	"os"
	"path/filepath"
	"testing"

	"gobench/device/devicetest"
	"gobench/internal/lab"
)

// elsewhere starts processes that start ranks, one on each host of a lab, and returns the address
// of that of each.
func elsewhere(t *testing.T, hosts []*lab.Host) func(host int) string {
	address := func(host int) string { return filepath.Join(hosts[host].Shared(), hosts[host].Name) }
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range hosts {
		serve := h.Command(program)
		serve.Env = append(serve.Env, "GOBENCH_DEVICETEST_SERVE="+address(i))
		serve.Stdout, serve.Stderr = os.Stdout, os.Stderr
		if err := serve.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { // before the hosts end
			serve.Process.Kill()
			serve.Wait()
		})
	}
	return address
}

// TestHosts runs the rules in which it matters how ranks are reached with two ranks on each of two
// hosts that share nothing but a network.
func TestHosts(t *testing.T) {
	hosts := lab.Hosts(t, 2)
	devicetest.Run(t, devicetest.Subject{Driver: overTCP, Ranks: devicetest.Processes, Hosts: halves, Only: mixed, Largest: true,
		Elsewhere: elsewhere(t, hosts)})
}
