// Package manifests holds no code. Its test checks what gobench manifest prints against the types
// of Kubernetes, JobSet and the MPI Operator and the Pod Security Standards, and builds
// sites/kustomize. It is a module of its own, so that gobench does not depend on theirs.
package manifests
