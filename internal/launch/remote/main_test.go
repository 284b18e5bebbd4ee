package remote

import (
	"os"
	"testing"

	"gobench/internal/launch/launchtest"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "agent" {
		os.Exit(agentRole(os.Args[2]))
	}
	launchtest.Main(m, map[string]func() int{"launch-tree": treeRole, "launch-hosts": hostsLauncher})
}
