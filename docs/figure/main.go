// Command figure draws half round trip and bandwidth over message size, one
// line for each transport, from the records of gobench p2p: the figure of the
// README.
//
//	go run ./docs/figure results/p2p.jsonl > docs/half_rtt.svg
package main

import (
	"fmt"
	"io"
	"os"

	"gobench/bench/record"
)

func main() {
	if err := figure(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "figure:", err)
		os.Exit(1)
	}
}

func figure(args []string, out io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("want one file of records, got %d arguments", len(args))
	}
	file, err := record.ReadFile(args[0])
	if err != nil {
		return err
	}
	times := lines(file, "half_rtt_s", 1e6)
	rates := lines(file, "bandwidth_Bps", 1e-9)
	if len(times) == 0 {
		return fmt.Errorf("%s holds no pingpong at level device", args[0])
	}
	c := canvas{w: out}
	c.open(980, 470)
	c.panel(70, 60, "Half round trip, µs", times)
	c.panel(565, 60, "Bandwidth, GB/s (10⁹ bytes per second)", rates)
	c.note(70, 425, "Ping-pong between two processes of one machine, level device. Line: median; band: its 95 % interval. "+
		"Both axes logarithmic; messages of 0 bytes left out.")
	c.note(70, 445, machine(file))
	return c.close()
}

// machine says where the records come from.
func machine(file *record.File) string {
	if len(file.Runs) == 0 || len(file.Runs[0].Hosts) == 0 {
		return ""
	}
	run := file.Runs[len(file.Runs)-1]
	facts, _ := run.Hosts[0].(map[string]any)
	text := "Measured " + run.Time.Format("2006-01-02")
	if cpu, ok := facts["cpu"].(map[string]any); ok {
		if model, ok := cpu["model"].(string); ok {
			text += " on " + model
		}
	}
	return text + "."
}
