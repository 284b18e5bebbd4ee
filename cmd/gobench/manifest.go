package main

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
	"text/template"

	"github.com/spf13/cobra"

	"gobench/experiment"
	"gobench/internal/exit"
	"gobench/internal/lazyregexp"
)

// manifest holds the parameters of a Kubernetes Job that runs one rank in each pod.
type manifest struct {
	Name      string
	Image     string
	Nodes     int
	Port      int
	Resources []string // NAME=N that each pod asks for
	Command   []string
	Secret    string
}

// job is a Secret, a headless Service that gives pods names, and a Job. Names are published for
// pods that are not ready, because pods become ready only after all ranks have met.
var job = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("job").Funcs(template.FuncMap{"quote": quoted}).Parse(`apiVersion: v1
kind: Secret
metadata:
  name: {{.Name}}
stringData:
  secret: {{quote .Secret}}
---
apiVersion: v1
kind: Service
metadata:
  name: {{.Name}}
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector:
    job-name: {{.Name}}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: {{.Name}}
spec:
  completionMode: Indexed
  completions: {{.Nodes}}
  parallelism: {{.Nodes}}
  backoffLimit: 0
  template:
    spec:
      subdomain: {{.Name}}
      restartPolicy: Never
      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
          - topologyKey: kubernetes.io/hostname
            labelSelector:
              matchLabels:
                job-name: {{.Name}}
      containers:
      - name: gobench
        image: {{quote .Image}}
        command:
{{- range .Command}}
        - {{quote .}}
{{- end}}
        env:
        - name: GOBENCH_NODES
          value: {{printf "%d" .Nodes | quote}}
        - name: GOBENCH_MEET
          value: {{printf "%s-0.%s:%d" .Name .Name .Port | quote}}
        - name: GOBENCH_SECRET
          valueFrom:
            secretKeyRef:
              name: {{.Name}}
              key: secret
{{- if .Resources}}
        resources:
          limits:
{{- range .Resources}}
            {{.}}
{{- end}}
{{- end}}
`))
})

// quoted returns s as a YAML string; JSON strings are valid YAML.
func quoted(s string) (string, error) {
	b, err := json.Marshal(s)
	return string(b), err
}

var (
	kubernetesName = lazyregexp.New(`^[a-z]([-a-z0-9]{0,50}[a-z0-9])?$`)
	resource       = lazyregexp.New(`^([-A-Za-z0-9_./]+)=([0-9]+[A-Za-z]*)$`)
)

// write checks the parameters and prints the manifest.
func (m manifest) write(w io.Writer) error {
	switch {
	case !kubernetesName.MatchString(m.Name):
		return fmt.Errorf("--name: %q is not a service name: want small letters, digits and -, beginning with a letter", m.Name)
	case m.Image == "":
		return fmt.Errorf("--image is missing: want the container image that has gobench in its PATH")
	case m.Nodes < 2:
		return fmt.Errorf("--nodes: want 2 or more, not %d", m.Nodes)
	case m.Port < 1 || m.Port > 65535:
		return fmt.Errorf("--port: want 1 to 65535, not %d", m.Port)
	}
	m.Resources = slices.Clone(m.Resources)
	for i, r := range m.Resources {
		parts := resource.FindStringSubmatch(r)
		if parts == nil {
			return fmt.Errorf("--resource: %q is not NAME=N, such as rdma/hca_shared_devices_a=1", r)
		}
		name, _ := quoted(parts[1])
		number, _ := quoted(parts[2])
		m.Resources[i] = name + ": " + number
	}
	b := make([]byte, 16)
	rand.Read(b) // never fails
	m.Secret = hex.EncodeToString(b)
	return job().Execute(w, m)
}

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
	m := manifest{Name: "gobench", Nodes: 2, Port: 7575}
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
			if err := m.write(cmd.OutOrStdout()); err != nil {
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
