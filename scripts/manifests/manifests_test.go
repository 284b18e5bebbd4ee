package manifests

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// objects are the objects of a manifest by their kind, as YAML.
func objects(t *testing.T, text string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for object := range strings.SplitSeq(text, "\n---\n") {
		var head struct {
			Kind     string `json:"kind"`
			Metadata struct {
				Name string `json:"name"`
			} `json:"metadata"`
		}
		if err := yaml.Unmarshal([]byte(object), &head); err != nil {
			t.Fatalf("%v\n%s", err, object)
		}
		if wrong := validation.IsDNS1035Label(head.Metadata.Name); wrong != nil || found[head.Kind] != "" {
			t.Errorf("%s %q: %v", head.Kind, head.Metadata.Name, wrong)
		}
		found[head.Kind] = object
	}
	return found
}

// strict decodes YAML and fails for fields that the type does not have.
func strict[T any](t *testing.T, text string) (object T) {
	t.Helper()
	if err := yaml.UnmarshalStrict([]byte(text), &object); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return object
}

// forbidden returns the reasons for which a level of Pod Security Standards does not admit a pod.
func forbidden(t *testing.T, level api.Level, pod *corev1.PodTemplateSpec) (reasons []string) {
	t.Helper()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range evaluator.EvaluatePod(api.LevelVersion{Level: level, Version: api.LatestVersion()}, &pod.ObjectMeta, &pod.Spec) {
		if !r.Allowed {
			reasons = append(reasons, r.ForbiddenReason+": "+r.ForbiddenDetail)
		}
	}
	return reasons
}

// pods returns the pods of the objects of a kind of manifest, by the types of Kubernetes, JobSet
// and the MPI Operator.
func pods(t *testing.T, kind string, all map[string]string) []*corev1.PodTemplateSpec {
	t.Helper()
	switch kind {
	case "kubernetes":
		job := strict[batchv1.Job](t, all["Job"])
		service := strict[corev1.Service](t, all["Service"])
		if job.Spec.Template.Spec.Subdomain != service.Name || !service.Spec.PublishNotReadyAddresses || service.Spec.ClusterIP != "None" {
			t.Errorf("the pods of %s do not meet by %s", job.Name, service.Name)
		}
		for key, value := range service.Spec.Selector {
			if job.Spec.Template.Labels[key] != value {
				t.Errorf("the service does not select the pods by %s", key)
			}
		}
		if job.Spec.TTLSecondsAfterFinished == nil || *job.Spec.CompletionMode != batchv1.IndexedCompletion {
			t.Errorf("%+v", job.Spec)
		}
		return []*corev1.PodTemplateSpec{&job.Spec.Template}
	case "daemonset":
		set := strict[appsv1.DaemonSet](t, all["DaemonSet"])
		return []*corev1.PodTemplateSpec{&set.Spec.Template}
	case "jobset":
		set := strict[jobset.JobSet](t, all["JobSet"])
		return []*corev1.PodTemplateSpec{&set.Spec.ReplicatedJobs[0].Template.Spec.Template}
	}
	job := strict[mpi.MPIJob](t, all["MPIJob"])
	worker, launcher := job.Spec.MPIReplicaSpecs[mpi.MPIReplicaTypeWorker], job.Spec.MPIReplicaSpecs[mpi.MPIReplicaTypeLauncher]
	return []*corev1.PodTemplateSpec{&worker.Template, &launcher.Template}
}

// program builds gobench and returns its path.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gobench")
	build := exec.Command("go", "build", "-o", path, "./cmd/gobench")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

func TestManifests(t *testing.T) {
	program := program(t)
	t.Run("kustomize", func(t *testing.T) { kustomized(t, program) })
	t.Run("sweep", func(t *testing.T) {
		out, err := exec.Command(program, "manifest", "kubernetes", "--image=i", "--", "sweep", "../../configs/quick.toml").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		all := objects(t, string(out))
		file, err := os.ReadFile("../../configs/quick.toml")
		if err != nil {
			t.Fatal(err)
		}
		if given := strict[corev1.ConfigMap](t, all["ConfigMap"]); given.Data["sweep.toml"] != string(file) {
			t.Errorf("the ConfigMap has %q", given.Data)
		}
		job := strict[batchv1.Job](t, all["Job"])
		if reasons := forbidden(t, api.LevelRestricted, &job.Spec.Template); reasons != nil {
			t.Errorf("the profile restricted forbids it: %v", reasons)
		}
	})
	for _, kind := range []string{"kubernetes", "jobset", "mpijob", "daemonset"} {
		t.Run(kind, func(t *testing.T) {
			print := func(flags ...string) map[string]string {
				args := append([]string{"manifest", kind, "--image=registry/gobench:v1"}, flags...)
				out, err := exec.Command(program, append(args, "--", "coll", "--op=allreduce", "--fail-if=t > 5us")...).CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				return objects(t, string(out))
			}
			all := print()
			for _, pod := range pods(t, kind, all) {
				if reasons := forbidden(t, api.LevelRestricted, pod); reasons != nil {
					t.Errorf("the profile restricted forbids it: %v", reasons)
				}
			}
			plain := pods(t, kind, all)[0]
			measured := slices.Concat(plain.Spec.InitContainers, plain.Spec.Containers)[0]
			for name, limit := range measured.Resources.Limits {
				if request := measured.Resources.Requests[name]; request.Cmp(limit) != 0 {
					t.Errorf("%s: request %v, limit %v", name, request, limit)
				}
			}
			if len(measured.Resources.Limits) < 2 {
				t.Errorf("limits are %v", measured.Resources.Limits)
			}
			if kind != "mpijob" && !slices.Equal(measured.Command, []string{"gobench", "coll", "--op=allreduce", "--fail-if=t > 5us"}) {
				t.Errorf("the command is %q", measured.Command)
			}
			if kind == "daemonset" == (plain.Spec.Affinity != nil) {
				t.Errorf("affinity is %v", plain.Spec.Affinity)
			}

			flags := []string{"--host-network", "--resource=rdma/hca=1", "--name=fixed"}
			if kind != "mpijob" { // sshd starts its ranks
				flags = append(flags, "--ipc-lock")
			}
			rdma := pods(t, kind, print(flags...))[0]
			container := slices.Concat(rdma.Spec.InitContainers, rdma.Spec.Containers)[0]
			if n := container.Resources.Limits["rdma/hca"]; !rdma.Spec.HostNetwork || n.Value() != 1 || kind != "mpijob" && (*rdma.Spec.SecurityContext.RunAsUser != 0 || !slices.Contains(container.SecurityContext.Capabilities.Add, "IPC_LOCK")) {
				t.Errorf("%+v", rdma.Spec)
			}
			// The test can fail: the network of the host is forbidden.
			if reasons := forbidden(t, api.LevelBaseline, rdma); len(reasons) == 0 {
				t.Error("the profile baseline admits the network of the host")
			}
		})
	}
}

// kustomized checks the directory of kustomize, which has the objects of a manifest, with a secret
// of its own and the image of a release.
func kustomized(t *testing.T, program string) {
	directory := t.TempDir()
	if err := os.CopyFS(directory, os.DirFS("../../sites/kustomize")); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(filepath.Join(directory, "objects.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program, "manifest", "kubernetes", "--image=gobench", "--name=gobench").Output()
	if err != nil {
		t.Fatal(err)
	}
	if _, printed, _ := strings.Cut(string(out), "\n---\n"); string(kept) != printed {
		t.Errorf("objects.yaml is not what gobench manifest prints behind its secret:\n%s", printed)
	}
	if err := os.WriteFile(filepath.Join(directory, "secret.env"), []byte("secret=0123\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), directory)
	if err != nil {
		t.Fatal(err)
	}
	text, err := built.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	all := objects(t, string(text))
	pod := pods(t, "kubernetes", all)[0]
	container := pod.Spec.Containers[0]
	secret := strict[corev1.Secret](t, all["Secret"])
	wanted := container.Env[len(container.Env)-1].ValueFrom.SecretKeyRef
	if container.Image != "example.org/gobench:v0.9.0" || wanted.Name != secret.Name || string(secret.Data[wanted.Key]) != "0123" {
		t.Errorf("image %s, secret %s of %+v", container.Image, wanted.Name, secret)
	}
	if reasons := forbidden(t, api.LevelRestricted, pod); reasons != nil {
		t.Errorf("the profile restricted forbids it: %v", reasons)
	}
}
