package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"gobench/experiment"
	"gobench/internal/exit"
	"gobench/launch/kubernetes"
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
		return &exit.UsageError{Err: fmt.Errorf("gobench %s measures nothing: want p2p, coll or another verb that measures after --", args[0])}
	case c.Name() == startupVerb:
		return &exit.UsageError{Err: fmt.Errorf("gobench %s measures ranks that it starts itself, and pods start theirs", startupVerb)}
	}
	if err := c.ParseFlags(rest); err != nil {
		return flagError(c, err)
	}
	for _, flag := range experiment.FlagsOfHosts {
		if c.Flags().Changed(flag) {
			return &exit.UsageError{Err: fmt.Errorf("--%s is for ranks that gobench starts, and pods start theirs: leave it out", flag)}
		}
	}
	if argument != "" && c.Flags().NArg() == 0 {
		return &exit.UsageError{Err: fmt.Errorf("gobench %s needs a %s", c.Name(), argument)}
	}
	return c.ValidateArgs(c.Flags().Args())
}

func newManifest() *cobra.Command {
	m := kubernetes.Manifest{Name: "gobench", Nodes: 2, Port: 7575}
	cmd := &cobra.Command{
		Use:   "manifest kubernetes [flags] [-- VERB...]",
		Short: "Print a Kubernetes manifest that measures between pods on several nodes",
		Example: `  gobench manifest kubernetes --image=registry/gobench --nodes=4 | kubectl apply -f -
  gobench manifest kubernetes --image=registry/gobench -- coll --transport=tcp --op=all | kubectl apply -f -
  kubectl logs -f job/gobench                   the results, of the pod gobench-0`,
		Long: "Prints a Secret, a headless Service and an Indexed Job with one rank in each pod, each on a node of its own. " +
			"The command after -- is measured (default: p2p --transport=tcp). Each manifest has a new secret.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || args[0] != "kubernetes" {
				return &exit.UsageError{Err: fmt.Errorf("manifest needs its kind: gobench manifest kubernetes")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			measured := args[1:]
			if len(measured) == 0 {
				measured = []string{"p2p", "--transport=tcp"}
			}
			if err := checkMeasured(cmd.Root(), measured); err != nil {
				return err
			}
			m.Command = append([]string{"gobench"}, measured...)
			if err := m.Write(cmd.OutOrStdout()); err != nil {
				return &exit.UsageError{Err: err}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&m.Image, "image", "", "`IMAGE` container image with gobench in its PATH")
	cmd.Flags().IntVar(&m.Nodes, "nodes", m.Nodes, "`N` number of pods, one per node")
	cmd.Flags().StringVar(&m.Name, "name", m.Name, "`NAME` name of the Job, the Service and the Secret")
	cmd.Flags().IntVar(&m.Port, "port", m.Port, "`PORT` port on which rank 0 listens")
	cmd.Flags().StringArrayVar(&m.Resources, "resource", nil, "`NAME=N` resource request of each pod, such as rdma/hca_shared_devices_a=1; may be repeated")
	cmd.Flags().SortFlags = false
	return cmd
}
