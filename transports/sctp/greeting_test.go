package sctp

import (
	"bytes"
	"testing"

	"gobench/device/contact"
)

// A greeting proves its rank to one other rank of its job, and does not contain the secret.
func TestGreeting(t *testing.T) {
	secret, other := contact.NewSecret(), contact.NewSecret()
	g := greeting(&secret, 3, 1)
	if from, ok := greeter(&secret, g, 1); !ok || from != 3 {
		t.Errorf("the greeting of rank 3 is that of rank %d: %v", from, ok)
	}
	if bytes.Contains(g, secret[:8]) {
		t.Error("it contains the secret")
	}
	changed := bytes.Clone(g)
	changed[0] = 2
	for name, c := range map[string]struct {
		b  []byte
		to int
	}{
		"to another rank": {g, 2}, "of another rank": {changed, 1}, "short": {g[:20], 1}, "long": {append(bytes.Clone(g), 0), 1},
		"empty": {nil, 1}, "of another job": {greeting(&other, 3, 1), 1}, "returned": {greeting(&secret, 1, 3), 1},
	} {
		if from, ok := greeter(&secret, c.b, c.to); ok {
			t.Errorf("%s: it is that of rank %d", name, from)
		}
	}
}
