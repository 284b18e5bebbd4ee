// Package manifests holds no code. Its test checks what gobench manifest prints against the types
// of Kubernetes and its Pod Security Standards. It is a module of its own, so that gobench does not
// depend on theirs.
package manifests
