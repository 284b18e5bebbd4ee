// Gobench measures how fast machines communicate. See README.md, or run
//
//	gobench --help
package main

import (
	"context"
	"fmt"
	"os"

	"gobench/internal/exit"
	"gobench/internal/launch/host"
	_ "gobench/transports/all" // registers every transport
)

func main() {
	if err := host.CheckThreads(); err != nil {
		fmt.Fprintf(os.Stderr, "gobench: %v\n", err)
		os.Exit(exit.Failed)
	}
	os.Exit(gobench(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}
