#!/usr/bin/env bash
# Sends the manifests of a program to an API server of Kubernetes that stores nothing of them
# (dryRun=All), in a namespace that admits restricted pods alone. etcd and kube-apiserver are built
# from their Go modules, which takes an hour of processor time, and run on the loopback interface.
# There is no cluster: no pod is started.
# usage: scripts/test-apiserver.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
cd "$(dirname "$0")/.."
. scripts/toolchain.sh
scripts/install.sh python3 python3-yaml openssl
work=$(mktemp -d)
trap 'kill -KILL $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT # the server waits for etcd at its end

# The version is that of the types by which scripts/manifests checks the same manifests.
minor=$(sed -n 's,^\tk8s.io/api v0\.,,p' scripts/manifests/go.mod)
(
	cd "$work"
	export GOFLAGS='-mod=mod -trimpath' GOEXPERIMENT=
	mod=$(go mod download -json "k8s.io/kubernetes@v1.$minor" | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')
	{
		printf 'module apiserver\n\ngo 1.27.0\n\nrequire k8s.io/kubernetes v1.%s\n\n' "$minor"
		sed -n "s,.*\(k8s.io/.*\) => ./staging/.*,replace \1 => \1 v0.$minor,p" "$mod"
	} >go.mod
	go get "go.etcd.io/etcd/server/v3@$(sed -n 's,.*go.etcd.io/etcd/server/v3 \([^ ]*\).*,\1,p' "$mod")"
	go build -o etcd go.etcd.io/etcd/server/v3
	go build -o kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver
)

read -r client peer port < <(python3 -c '
import socket
free = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
print(*(s.getsockname()[1] for s in free))')
openssl genrsa -out "$work/key" 2048 2>/dev/null
openssl rsa -in "$work/key" -pubout -out "$work/pub" 2>/dev/null
token=$(openssl rand -hex 16)
echo "$token,test,test" >"$work/tokens"
"$work/etcd" --data-dir="$work/data" --listen-client-urls="http://127.0.0.1:$client" --advertise-client-urls="http://127.0.0.1:$client" \
	--listen-peer-urls="http://127.0.0.1:$peer" >"$work/etcd.log" 2>&1 &
# The default account of a namespace is made by a controller, which does not run.
"$work/kube-apiserver" --etcd-servers="http://127.0.0.1:$client" --bind-address=127.0.0.1 --advertise-address=192.0.2.1 --secure-port="$port" \
	--cert-dir="$work" --endpoint-reconciler-type=none --service-cluster-ip-range=10.0.0.0/24 --service-account-issuer=https://kubernetes.default \
	--service-account-key-file="$work/pub" --service-account-signing-key-file="$work/key" --token-auth-file="$work/tokens" \
	--authorization-mode=AlwaysAllow --disable-admission-plugins=ServiceAccount >"$work/apiserver.log" 2>&1 &
crds=$(cd scripts/manifests && go list -m -f '{{.Dir}}' sigs.k8s.io/jobset github.com/kubeflow/mpi-operator)
python3 - "$program" "$port" "$token" $crds <<'PY' || { tail -5 "$work/etcd.log" "$work/apiserver.log" >&2; exit 1; }
import json, ssl, subprocess, sys, time, urllib.error, urllib.request, yaml
program, port, token, jobset, mpi = sys.argv[1:]
own = ssl._create_unverified_context() # the server makes its certificate

def call(path, object=None):
    """Returns the status, the warnings and the text of an answer."""
    body = None if object is None else json.dumps(object).encode()
    r = urllib.request.Request(f'https://127.0.0.1:{port}{path}', body, {'Authorization': 'Bearer ' + token, 'Content-Type': 'application/json'})
    try:
        with urllib.request.urlopen(r, context=own) as answer:
            return answer.status, answer.headers.get_all('Warning') or [], answer.read().decode()
    except urllib.error.HTTPError as e:
        return e.code, [], e.read().decode()
    except OSError as e:
        return 0, [], str(e)

def wait(path):
    for _ in range(120):
        if (answer := call(path))[0] == 200:
            return
        time.sleep(1)
    sys.exit(f'{path}: {answer}')

def path(object, namespace='/namespaces/gobench'):
    version, kind = object['apiVersion'], object['kind'].lower() + 's'
    return ('/api/' if version == 'v1' else '/apis/') + version + namespace + '/' + kind

def dry(object):
    return call(path(object) + '?dryRun=All&fieldValidation=Strict', object)

def templates(value):
    """The templates of pods inside of an object."""
    if isinstance(value, list):
        return [t for v in value for t in templates(v)]
    if not isinstance(value, dict):
        return []
    return [value] if 'containers' in value.get('spec', {}) else [t for v in value.values() for t in templates(v)]

def pod(template):
    return {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': template.get('metadata', {}) | {'generateName': 'gobench-'}, 'spec': template['spec']}

wait('/readyz')
level = {'pod-security.kubernetes.io/' + mode: 'restricted' for mode in ('enforce', 'warn')}
namespace = {'apiVersion': 'v1', 'kind': 'Namespace', 'metadata': {'name': 'gobench', 'labels': level}}
assert call(path(namespace, ''), namespace)[0] == 201
for file in (jobset + '/config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml', mpi + '/manifests/base/kubeflow.org_mpijobs.yaml'):
    for crd in yaml.safe_load_all(open(file)):
        answer = call(path(crd, ''), crd)
        assert answer[0] == 201, answer
        wait(f"/apis/{crd['spec']['group']}/{crd['spec']['versions'][0]['name']}/namespaces/gobench/{crd['spec']['names']['plural']}")

sent = 0
measured = ['--', 'coll', '--op=allreduce']
for args in [['kubernetes', '--name=fixed'] + measured, ['kubernetes', '--', 'sweep', 'configs/quick.toml']] + [[kind] + measured for kind in ('kubernetes', 'jobset', 'mpijob', 'daemonset')]:
    text = subprocess.run([program, 'manifest', args[0], '--image=registry/gobench:v1'] + args[1:], check=True, capture_output=True, text=True).stdout
    for object in yaml.safe_load_all(text):
        # Pods are admitted one by one: a Job with a pod that is not admitted has a warning alone.
        for one in [object] + [pod(t) for t in templates(object)]:
            status, warnings, said = dry(one)
            assert status == 201 and not warnings, (args, one['kind'], status, warnings, said)
            sent += 1

# The test can fail: at a field that does not exist, and at the network of the host.
one['spec']['hostNetwork'] = True
assert dry(one)[0] == 403, dry(one)
object['spec']['nonsense'] = 1
assert dry(object)[0] == 400, dry(object)
print(f'{sent} objects are admitted by kube-apiserver')
PY
