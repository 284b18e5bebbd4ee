package tcp

import (
	"bytes"
	"errors"
	"testing"
)

func testSecret() *secret {
	s := &secret{}
	copy(s.hello[:], "0123456789abcdef")
	copy(s.welcome[:], "fedcba9876543210")
	return s
}

func FuzzHello(f *testing.F) {
	f.Add(hello{1, 0, 1, 2, 1, testSecret().hello}.encode())
	f.Add([]byte("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := decodeHello(b)
		if err != nil {
			return
		}
		if !bytes.Equal(h.encode(), b) {
			t.Fatalf("%x was read as %+v", b, h)
		}
		s := testSecret()
		if judge(h, 1, 4, 1, s) == welcome && (h.secret != s.hello || h.from <= 1 || h.from > 3 || h.index != 0) {
			t.Fatalf("let in: %+v", h)
		}
	})
}

func TestJudge(t *testing.T) {
	s := testSecret()
	good := hello{version, 1, 2, 3, 1, s.hello}
	for _, c := range []struct {
		name   string
		change func(*hello)
		want   verdict
	}{
		{"good", func(h *hello) {}, welcome},
		{"version", func(h *hello) { h.version++ }, wrongVersion},
		{"secret", func(h *hello) { h.secret[15]++ }, wrongSecret},
		{"no secret", func(h *hello) { h.secret = [secretSize]byte{} }, wrongSecret},
		{"other rank meant", func(h *hello) { h.to = 0 }, wrongRank},
		{"lower rank calls", func(h *hello) { h.from = 0 }, wrongRank},
		{"rank itself calls", func(h *hello) { h.from = 1 }, wrongRank},
		{"rank past the job", func(h *hello) { h.from = 4 }, wrongRank},
		{"connections", func(h *hello) { h.connections = 1 }, wrongConnections},
		{"index", func(h *hello) { h.index = 2 }, wrongConnections},
	} {
		h := good
		c.change(&h)
		if got := judge(h, 1, 4, 2, s); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestCheckWelcome(t *testing.T) {
	s := testSecret()
	good := encodeWelcome(welcome, 2, s)
	if err := checkWelcome(good, 2, s); err != nil {
		t.Fatal(err)
	}
	change := func(i int) []byte {
		b := bytes.Clone(good)
		b[i]++
		return b
	}
	for name, b := range map[string][]byte{
		"no magic number": change(0),
		"other version":   change(8),
		"refused":         encodeWelcome(wrongSecret, 2, s),
		"other rank":      encodeWelcome(welcome, 3, s),
		"wrong secret":    change(31),
		"short":           good[:20],
	} {
		if err := checkWelcome(b, 2, s); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if bytes.Contains(encodeWelcome(wrongVersion, 2, s), s.welcome[:]) {
		t.Error("a stranger is told the secret")
	}
	if err := checkWelcome(change(0), 2, s); !errors.Is(err, errMagic) {
		t.Errorf("garbage gives %v", err)
	}
}

// Nobody is welcome who does not know the secret.
func FuzzWelcome(f *testing.F) {
	s := testSecret()
	f.Add(encodeWelcome(welcome, 2, s))
	f.Add(encodeWelcome(wrongSecret, 2, s))
	good := encodeWelcome(welcome, 2, s)
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := checkWelcome(b, 2, s); err == nil && !(bytes.Equal(b[:11], good[:11]) && bytes.Equal(b[12:], good[12:])) {
			t.Fatalf("%x is a welcome", b)
		}
	})
}
