package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gobench/experiment"
	"gobench/internal/cli"
	"gobench/internal/exit"
	"gobench/internal/experiment/sweep"
	"gobench/internal/launch/kubernetes"
	"gobench/nearest"
)

// checkMeasured checks that a command line has a verb that measures, valid flags and the number of
// arguments that the verb takes. Without it an error would appear only when pods run. It does not
// check values, because the image may have another build of gobench.
func checkMeasured(root *cobra.Command, args []string) error {
	c, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	argument, ok := c.Annotations[measures]
	switch {
	case !ok:
		return cli.Usagef("gobench %s measures nothing: want p2p, coll or another verb that measures after --", args[0])
	case c.Name() == startupVerb:
		return cli.Usagef("gobench %s measures ranks that it starts itself, and pods start theirs", startupVerb)
	}
	if err := c.ParseFlags(rest); err != nil {
		return c.FlagErrorFunc()(c, err)
	}
	for _, flag := range experiment.FlagsOfHosts {
		if c.Flags().Changed(flag) {
			return cli.Usagef("--%s is for ranks that gobench starts, and pods start theirs: leave it out", flag)
		}
	}
	if argument != "" && c.Flags().NArg() == 0 {
		return cli.Usagef("gobench %s needs a %s", c.Name(), argument)
	}
	return c.ValidateArgs(c.Flags().Args())
}

// manifestSweep makes m a Job of one pod that runs a sweep, whose ranks are processes of that pod.
func manifestSweep(m *kubernetes.Manifest, cmd *cobra.Command, args []string) error {
	switch {
	case m.Kind != "kubernetes":
		return fmt.Errorf("a sweep starts its ranks itself, in one pod: want gobench manifest kubernetes, not %s", m.Kind)
	case len(args) != 1:
		return fmt.Errorf("want sweep FILE.toml after --, and no flags")
	case cmd.Flags().Changed("nodes") && m.Nodes != 1:
		return fmt.Errorf("a sweep starts its ranks itself, in one pod: leave out --nodes")
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return fmt.Errorf("cannot read the sweep: %w", err)
	}
	if _, err := sweep.Parse(text, args[0], sweepVerbs(cmd.Root())); err != nil {
		return err
	}
	m.Nodes, m.Sweep = 1, string(text)
	m.Command = []string{"gobench", "sweep", "/sweep/sweep.toml", "-o", "/records/sweep.jsonl"}
	return nil
}

func newManifest() *cobra.Command {
	m := kubernetes.Manifest{Nodes: 2, Port: 7575, CPU: "2", Memory: "1Gi", Keep: 86400}
	known := slices.Sorted(maps.Keys(kubernetes.Kinds))
	about := ""
	for _, kind := range known {
		about += "\n\n" + kind + ": " + kubernetes.Kinds[kind] + "."
	}
	cmd := &cobra.Command{
		Use:   "manifest KIND [flags] [-- VERB...]",
		Short: "Print a Kubernetes manifest that measures between pods on several nodes",
		Example: `  gobench manifest kubernetes --image=registry/gobench --nodes=4 --name=try | kubectl apply -f -
  gobench manifest kubernetes --image=registry/gobench -- coll --transport=tcp --op=all | kubectl apply -f -
  kubectl logs -f job/try                       the results, of the pod try-0
  kubectl logs job/try | gobench import - -o pods.jsonl`,
		Long: "Prints the objects of a kind, with one rank in each pod, each on a node of its own. " +
			"The command after -- is measured (default: p2p --transport=tcp, and p2p in a DaemonSet). Each manifest has a new secret and, without --name, a new name. " +
			"The file of sweep FILE.toml goes into a ConfigMap, and the sweep runs in one pod. " +
			"The profile \"restricted\" of Pod Security Standards admits the pods, unless --host-network or --ipc-lock is given. " +
			"The log of rank 0 has the table, and the records behind it, which gobench import reads." + about,
		ValidArgs: known,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usagef("manifest needs its kind: %s", strings.Join(known, ", "))
			}
			if kubernetes.Kinds[args[0]] == "" {
				return &exit.UsageError{Err: &nearest.UnknownError{What: "kind of manifest", Name: args[0], Known: known}}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			m.Kind = args[0]
			measured := args[1:]
			switch {
			case len(measured) == 0 && m.Kind == "daemonset":
				measured = []string{"p2p"}
			case len(measured) == 0:
				measured = []string{"p2p", "--transport=tcp"}
			}
			if measured[0] == "sweep" {
				if err := manifestSweep(&m, cmd, measured[1:]); err != nil {
					return &exit.UsageError{Err: err}
				}
			} else if err := checkMeasured(cmd.Root(), measured); err != nil {
				return err
			} else {
				m.Command = append([]string{"gobench"}, measured...)
			}
			if err := m.Write(cmd.OutOrStdout()); err != nil {
				return &exit.UsageError{Err: err}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&m.Image, "image", "", "`IMAGE` container image with gobench in its PATH")
	f.IntVar(&m.Nodes, "nodes", m.Nodes, "`N` number of pods, one per node")
	f.StringVar(&m.Name, "name", "", "`NAME` name of the objects (default: a new one)")
	f.IntVar(&m.Port, "port", m.Port, "`PORT` port on which rank 0 listens")
	f.StringVar(&m.CPU, "cpu", m.CPU, "`N` cores of each pod, as request and limit")
	f.StringVar(&m.Memory, "memory", m.Memory, "`BYTES` memory of each pod, as request and limit")
	f.IntVar(&m.Keep, "ttl", m.Keep, "`SECONDS` time from the end of a job to its deletion")
	f.BoolVar(&m.HostNetwork, "host-network", false, "use the network of the nodes")
	f.BoolVar(&m.LockMemory, "ipc-lock", false, "run as root, which may lock memory (IPC_LOCK), as RDMA needs; not for mpijob")
	f.StringArrayVar(&m.Resources, "resource", nil, "`NAME=N` resource request of each pod, such as rdma/hca_shared_devices_a=1; may be repeated")
	f.SortFlags = false
	return cmd
}
