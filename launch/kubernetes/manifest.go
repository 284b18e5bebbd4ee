// Package kubernetes writes the manifest of a Kubernetes Job that measures between pods on several
// nodes.
package kubernetes

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync"
	"text/template"

	"gobench/internal/lazyregexp"
	"gobench/internal/remedy"
)

// Manifest holds the parameters of a Job that runs one rank in each pod, each on a node of its own.
type Manifest struct {
	Name      string   // of the Secret, the Service and the Job
	Image     string   // that has gobench in its PATH
	Nodes     int      // 2 or more
	Port      int      // on which rank 0 listens
	Resources []string // NAME=N that each pod asks for
	Command   []string // with the name of the program
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

// Write checks the parameters and writes the manifest, with a new secret. An error that is a
// *remedy.Error is about a parameter, before anything is written.
func (m Manifest) Write(w io.Writer) error {
	switch {
	case !kubernetesName.MatchString(m.Name):
		return remedy.Errorf("%v: %q is not a service name: want small letters, digits and -, beginning with a letter", remedy.Named("name"), m.Name)
	case m.Image == "":
		return remedy.Errorf("%v is missing: want the container image that has gobench in its PATH", remedy.Named("image"))
	case m.Nodes < 2:
		return remedy.Errorf("%v: want 2 or more, not %d", remedy.Named("nodes"), m.Nodes)
	case m.Port < 1 || m.Port > 65535:
		return remedy.Errorf("%v: want 1 to 65535, not %d", remedy.Named("port"), m.Port)
	case len(m.Command) == 0:
		return errors.New("a manifest needs the command that pods run")
	}
	m.Resources = slices.Clone(m.Resources)
	for i, r := range m.Resources {
		parts := resource.FindStringSubmatch(r)
		if parts == nil {
			return remedy.Errorf("%v: %q is not NAME=N, such as rdma/hca_shared_devices_a=1", remedy.Named("resource"), r)
		}
		name, _ := quoted(parts[1])
		number, _ := quoted(parts[2])
		m.Resources[i] = name + ": " + number
	}
	b := make([]byte, 16)
	rand.Read(b) // never fails
	return job().Execute(w, struct {
		Manifest
		Secret string
	}{m, hex.EncodeToString(b)})
}
