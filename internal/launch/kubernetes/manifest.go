// Package kubernetes writes the objects of Kubernetes that measure between pods on several nodes.
package kubernetes

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"sync"
	"text/template"

	"gobench/internal/lazyregexp"
	"gobench/internal/remedy"
)

// A Manifest holds the parameters of the objects that run ranks in pods.
type Manifest struct {
	Kind        string // one of the keys of Kinds
	Name        string
	Image       string
	Nodes       int
	Port        int
	CPU, Memory string   // of each pod
	Keep        int      // seconds for which a job that has ended stays
	HostNetwork bool     // the network of the node instead of that of pods
	LockMemory  bool     // IPC_LOCK, for RDMA, as root
	Resources   []string // NAME=N that each pod asks for
	Command     []string
	Sweep       string // content of the file of a sweep, "" = none
	Secret      string // set by Write
}

// Kinds describes the kinds of manifests.
var Kinds = map[string]string{
	"kubernetes": "a Secret, a headless Service and an Indexed Job",
	"jobset":     "a Secret and a JobSet (jobset.x-k8s.io/v1alpha2)",
	"mpijob":     "an MPIJob of the MPI Operator (kubeflow.org/v2beta1), whose image has gobench, mpirun and sshd",
	"daemonset":  "a DaemonSet that measures once on each node: pods of nodes that fail do not become ready",
}

// manifests are the templates of the kinds. Names are published for pods that are not ready,
// because pods become ready only after all ranks have met. Limits equal requests, so that a node
// with the static policy of CPUs gives a pod cores of its own. The contexts of security are those
// that the profile "restricted" of Pod Security Standards demands.
var manifests = sync.OnceValue(func() *template.Template {
	t := template.New("")
	// indent executes the template of a name and indents all lines but the first.
	indent := func(columns int, name string, m Manifest) (string, error) {
		var b strings.Builder
		err := t.ExecuteTemplate(&b, name, m)
		return strings.ReplaceAll(b.String(), "\n", "\n"+strings.Repeat(" ", columns)), err
	}
	return template.Must(t.Funcs(template.FuncMap{"quote": quoted, "indent": indent}).Parse(`
{{- define "secret"}}apiVersion: v1
kind: Secret
metadata:
  name: {{.Name}}
stringData:
  secret: {{quote .Secret}}
---
{{end}}

{{- define "pod"}}automountServiceAccountToken: false
{{- if .HostNetwork}}
hostNetwork: true
dnsPolicy: ClusterFirstWithHostNet
{{- end}}
securityContext:
  runAsNonRoot: {{not .LockMemory}}
  runAsUser: {{.User}}
  runAsGroup: {{.User}}
  fsGroup: {{.User}}
  seccompProfile:
    type: RuntimeDefault
volumes:
- name: records
  emptyDir: {}
- name: shm
  emptyDir:
    medium: Memory
{{- if .Sweep}}
- name: sweep
  configMap:
    name: {{.Name}}
{{- end}}
{{- end}}

{{- define "resources"}}resources:
{{- range $kind := .Bounds}}
  {{$kind}}:
    cpu: {{quote $.CPU}}
    memory: {{quote $.Memory}}
{{- range $.Resources}}
    {{.}}
{{- end}}
{{- end}}
{{- end}}

{{- define "container"}}image: {{quote .Image}}
workingDir: /records
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: ["ALL"]
{{- if .LockMemory}}
    add: ["IPC_LOCK"]
{{- end}}
{{template "resources" .}}
volumeMounts:
- name: records
  mountPath: /records
- name: shm
  mountPath: /dev/shm
{{- if .Sweep}}
- name: sweep
  mountPath: /sweep
{{- end}}
command:
{{- range .Command}}
- {{quote .}}
{{- end}}
{{- end}}

{{- define "environment"}}env:
- name: GOBENCH_LOG_RECORDS
  value: "1"
{{- if not .Sweep}}
- name: GOBENCH_NODES
  value: {{printf "%d" .Nodes | quote}}
- name: GOBENCH_MEET
  value: {{printf "%s:%d" .First .Port | quote}}
- name: GOBENCH_SECRET
  valueFrom:
    secretKeyRef:
      name: {{.Name}}
      key: secret
{{- end}}
{{- end}}

{{- define "apart"}}affinity:
  podAntiAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
    - topologyKey: kubernetes.io/hostname
      labelSelector:
        matchLabels:
          app.kubernetes.io/instance: {{.Name}}
{{- end}}

{{- define "labels"}}labels:
  app.kubernetes.io/name: gobench
  app.kubernetes.io/instance: {{.Name}}
{{- end}}

{{- define "jobspec"}}completionMode: Indexed
completions: {{.Nodes}}
parallelism: {{.Nodes}}
backoffLimit: 0
template:
  metadata:
    {{indent 4 "labels" .}}
  spec:
{{- if eq .Kind "kubernetes"}}
    subdomain: {{.Name}}
{{- end}}
    {{indent 4 "apart" .}}
    restartPolicy: Never
    {{indent 4 "pod" .}}
    containers:
    - name: gobench
      {{indent 6 "container" .}}
      {{indent 6 "environment" .}}
{{- end}}

{{- define "configmap"}}apiVersion: v1
kind: ConfigMap
metadata:
  name: {{.Name}}
data:
  sweep.toml: {{quote .Sweep}}
---
{{end}}

{{- define "kubernetes"}}{{if .Sweep}}{{template "configmap" .}}{{else}}{{template "secret" .}}apiVersion: v1
kind: Service
metadata:
  name: {{.Name}}
spec:
  clusterIP: None
  publishNotReadyAddresses: true
  selector:
    app.kubernetes.io/instance: {{.Name}}
---
{{end}}apiVersion: batch/v1
kind: Job
metadata:
  name: {{.Name}}
  {{indent 2 "labels" .}}
spec:
  ttlSecondsAfterFinished: {{.Keep}}
  {{indent 2 "jobspec" .}}
{{end}}

{{- define "jobset"}}{{template "secret" .}}apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata:
  name: {{.Name}}
  {{indent 2 "labels" .}}
spec:
  ttlSecondsAfterFinished: {{.Keep}}
  network:
    enableDNSHostnames: true
    publishNotReadyAddresses: true
  replicatedJobs:
  - name: ranks
    replicas: 1
    template:
      spec:
        {{indent 8 "jobspec" .}}
{{end}}

{{- define "mpijob"}}apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata:
  name: {{.Name}}
  {{indent 2 "labels" .}}
spec:
  slotsPerWorker: 1
  sshAuthMountPath: /home/mpiuser/.ssh
  runPolicy:
    cleanPodPolicy: Running
    ttlSecondsAfterFinished: {{.Keep}}
    backoffLimit: 0
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template:
        spec:
          securityContext:
            runAsNonRoot: true
            runAsUser: 1000
            seccompProfile:
              type: RuntimeDefault
          containers:
          - name: launcher
            image: {{quote .Image}}
            securityContext:
              allowPrivilegeEscalation: false
              capabilities:
                drop: ["ALL"]
            env:
            - name: GOBENCH_LOG_RECORDS
              value: "1"
            workingDir: /tmp
            command:
            - mpirun
            - "-n"
            - {{printf "%d" .Nodes | quote}}
            - "-x"
            - GOBENCH_LOG_RECORDS
{{- range .Command}}
            - {{quote .}}
{{- end}}
    Worker:
      replicas: {{.Nodes}}
      template:
        metadata:
          {{indent 10 "labels" .}}
        spec:
          {{indent 10 "apart" .}}
          securityContext:
            runAsNonRoot: true
            runAsUser: 1000
            seccompProfile:
              type: RuntimeDefault
{{- if .HostNetwork}}
          hostNetwork: true
          dnsPolicy: ClusterFirstWithHostNet
{{- end}}
          containers:
          - name: worker
            image: {{quote .Image}}
            securityContext:
              allowPrivilegeEscalation: false
              capabilities:
                drop: ["ALL"]
            {{indent 12 "resources" .}}
            command: ["/usr/sbin/sshd", "-De", "-f", "/home/mpiuser/.sshd_config"]
{{end}}

{{- define "daemonset"}}apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: {{.Name}}
  {{indent 2 "labels" .}}
spec:
  selector:
    matchLabels:
      app.kubernetes.io/instance: {{.Name}}
  template:
    metadata:
      {{indent 6 "labels" .}}
    spec:
      {{indent 6 "pod" .}}
      initContainers:
      - name: gobench
        {{indent 8 "container" .}}
      containers:
      - name: passed
        image: registry.k8s.io/pause:3.10
        securityContext:
          allowPrivilegeEscalation: false
          readOnlyRootFilesystem: true
          capabilities:
            drop: ["ALL"]
        resources:
          limits:
            cpu: 10m
            memory: 16Mi
{{end}}`))
})

// quoted returns s as a YAML string; JSON strings are valid YAML.
func quoted(s string) (string, error) {
	b, err := json.Marshal(s)
	return string(b), err
}

// Bounds are the lists of resources of a container.
func (m Manifest) Bounds() []string { return []string{"requests", "limits"} }

// User returns the user of pods. Only root keeps a capability when it starts a program: Kubernetes
// sets no ambient ones.
func (m Manifest) User() int {
	if m.LockMemory {
		return 0
	}
	return 65532
}

// First returns the name of the pod of rank 0.
func (m Manifest) First() string {
	if m.Kind == "jobset" {
		return m.Name + "-ranks-0-0." + m.Name
	}
	return m.Name + "-0." + m.Name
}

var (
	kubernetesName = lazyregexp.New(`^[a-z]([-a-z0-9]{0,50}[a-z0-9])?$`)
	resource       = lazyregexp.New(`^([-A-Za-z0-9_./]+)=([0-9]+[A-Za-z]*)$`)
	quantity       = lazyregexp.New(`^[0-9]+(\.[0-9]+)?(m|[KMGT]i?)?$`)
)

// Write checks the parameters and writes the objects, with a new secret. An error that is a
// *remedy.Error is about a parameter, before anything is written.
func (m Manifest) Write(w io.Writer) error {
	fewest := 2
	if m.Kind == "daemonset" || m.Sweep != "" {
		fewest = 1
	}
	m.Name = cmp.Or(m.Name, "gobench-"+random(3)) // objects of another name measure anew
	switch {
	case !kubernetesName.MatchString(m.Name):
		return remedy.Errorf("%v: %q is not a service name: want small letters, digits and -, beginning with a letter", remedy.Named("name"), m.Name)
	case m.Image == "":
		return remedy.Errorf("%v is missing: want the container image that has gobench in its PATH", remedy.Named("image"))
	case m.Nodes < fewest:
		return remedy.Errorf("%v: want %d or more, not %d", remedy.Named("nodes"), fewest, m.Nodes)
	case m.Port < 1 || m.Port > 65535:
		return remedy.Errorf("%v: want 1 to 65535, not %d", remedy.Named("port"), m.Port)
	case !quantity.MatchString(m.CPU):
		return remedy.Errorf("%v: %q is no quantity of Kubernetes, such as 2 or 500m", remedy.Named("cpu"), m.CPU)
	case !quantity.MatchString(m.Memory):
		return remedy.Errorf("%v: %q is no quantity of Kubernetes, such as 1Gi", remedy.Named("memory"), m.Memory)
	case m.LockMemory && m.Kind == "mpijob":
		return remedy.Errorf("%v: sshd starts the ranks of an mpijob as a user without capabilities: raise the limit of locked memory of the container runtime instead", remedy.Named("ipc-lock"))
	case m.Keep < 0:
		return remedy.Errorf("%v: want 0 or more seconds, not %d", remedy.Named("ttl"), m.Keep)
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
	m.Secret = random(16)
	return manifests().ExecuteTemplate(w, m.Kind, m)
}

// random returns n random bytes in hexadecimal.
func random(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
