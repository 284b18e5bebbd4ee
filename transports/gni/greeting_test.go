//go:build gni && cgo

package gni

import (
	"bytes"
	"testing"

	"gobench/device/contact"
	"gobench/transports/gni/ugni"
)

// A greeting proves its rank to one other rank of its job, the answer for any greeting proves it to
// ranks that have called, and neither contains the secret.
func TestGreeting(t *testing.T) {
	secret, other := contact.NewSecret(), contact.NewSecret()
	of := func(rank int, secret contact.Secret) *connector {
		return &connector{l: &links{rank: rank}, secret: secret}
	}
	from, me := of(3, secret), of(1, secret)
	call, answer := from.greeting(3, 1), from.greeting(3, ugni.Anyone)
	for _, c := range []struct {
		name     string
		data     []byte
		to, from int
		valid    bool
	}{
		{"a call", call, ugni.Anyone, 3, true},
		{"calls of both", call, 3, 3, true},
		{"an answer", answer, 3, 3, true},
		{"an answer without a call", answer, ugni.Anyone, 3, false},
		{"a call of another rank", call, ugni.Anyone, 2, false},
		{"a call to another rank", from.greeting(3, 2), ugni.Anyone, 3, false},
		{"this rank's own call", me.greeting(1, 3), 3, 3, false},
		{"of another job", of(3, other).greeting(3, 1), ugni.Anyone, 3, false},
		{"empty", nil, ugni.Anyone, 3, false},
	} {
		data := make([]byte, ugni.Datagram)
		copy(data, c.data)
		if got := me.proves(data, c.to, c.from); got != c.valid {
			t.Errorf("%s: valid is %v, want %v", c.name, got, c.valid)
		}
		if bytes.Contains(c.data, secret[:4]) {
			t.Errorf("%s: it contains the secret", c.name)
		}
	}
}
