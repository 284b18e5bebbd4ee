// Gobench measures how fast machines communicate. See README.md, or run
//
//	gobench --help
package main

import (
	"context"
	"os"

	_ "gobench/transports/all" // registers every transport
)

func main() {
	os.Exit(gobench(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}
