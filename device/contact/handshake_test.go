package contact

import (
	"bytes"
	"errors"
	"testing"

	"gobench/internal/fuzzing"
)

func testSecret() *Secret {
	s := &Secret{}
	copy(s[:], "0123456789abcdeffedcba9876543210")
	return s
}

func FuzzHello(t *testing.F) {
	f := fuzzing.New(t)
	f.Add(hello{version, 0, 1, 2, 1, nonce{1, 2, 3}}.encode())
	f.Add([]byte("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := decodeHello(b)
		if err != nil {
			return
		}
		if !bytes.Equal(h.encode(), b) {
			t.Fatalf("%x was read as %+v", b, h)
		}
		if checkHello(h, 1, 4, 1) == welcome && (h.from == 1 || h.from > 3 || h.index != 0) {
			t.Fatalf("let in: %+v", h)
		}
	})
}

func TestJudge(t *testing.T) {
	good := hello{version, 1, 2, 3, 1, nonce{}}
	for _, c := range []struct {
		name   string
		change func(*hello)
		want   status
	}{
		{"good", func(h *hello) {}, welcome},
		{"version", func(h *hello) { h.version++ }, wrongVersion},
		{"other rank meant", func(h *hello) { h.to = 0 }, wrongRank},
		{"lower rank calls", func(h *hello) { h.from = 0 }, welcome},
		{"rank itself calls", func(h *hello) { h.from = 1 }, wrongRank},
		{"rank past the job", func(h *hello) { h.from = 4 }, wrongRank},
		{"connections", func(h *hello) { h.connections = 1 }, wrongConnections},
		{"index", func(h *hello) { h.index = 2 }, wrongConnections},
	} {
		h := good
		c.change(&h)
		if got := checkHello(h, 1, 4, 2); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestCheckWelcome(t *testing.T) {
	s := testSecret()
	h := hello{version, 0, 1, 3, 2, newNonce()}
	good := encodeWelcome(welcome, 2, h, s)
	if err := checkWelcome(good, h, s); err != nil {
		t.Fatal(err)
	}
	change := func(i int) []byte {
		b := bytes.Clone(good)
		b[i]++
		return b
	}
	other := h
	other.nonce[0]++
	mirrored := append(bytes.Clone(good[:welcomeSize-proofSize]), s.proof(byCaller, h.encode(), good)...)
	for name, b := range map[string][]byte{
		"no magic number":            change(0),
		"other version":              change(8),
		"refused":                    encodeWelcome(wrongSecret, 2, h, s),
		"other rank":                 encodeWelcome(welcome, 3, h, s),
		"wrong proof":                change(welcomeSize - 1),
		"other nonce":                change(16),
		"heard in another handshake": encodeWelcome(welcome, 2, other, s),
		"a proof of the caller":      mirrored,
		"short":                      good[:20],
	} {
		if err := checkWelcome(b, h, s); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if err := checkWelcome(change(0), h, s); !errors.Is(err, errMagic) {
		t.Errorf("garbage gives %v", err)
	}
}

// Nobody is welcome who does not know the secret.
func FuzzWelcome(t *testing.F) {
	f := fuzzing.New(t)
	s := testSecret()
	h := hello{version, 0, 1, 3, 2, nonce{1, 2, 3}}
	// The one welcome that is known, with a nonce that is the same in each process of the fuzzer.
	good := encodeWelcome(welcome, 2, h, s)
	copy(good[welcomeSize-proofSize-nonceSize:], make([]byte, nonceSize))
	copy(good[welcomeSize-proofSize:], s.proof(byListener, h.encode(), good))
	if err := checkWelcome(good, h, s); err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(encodeWelcome(wrongSecret, 2, h, s))
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := checkWelcome(b, h, s); err == nil && !bytes.Equal(b, good) {
			t.Fatalf("%x is a welcome", b)
		}
	})
}

// A token belongs to one request: no other one of the pair, of its other direction, or of another
// job is the same.
func TestToken(t *testing.T) {
	s, other := testSecret(), testSecret()
	other[31]++
	all := map[[proofSize]byte]bool{s.Token(1, 2, 0): true, s.Token(2, 1, 0): true, s.Token(1, 2, 1): true, s.Token(1, 3, 0): true, other.Token(1, 2, 0): true}
	if len(all) != 5 || s.Token(1, 2, 0) != testSecret().Token(1, 2, 0) {
		t.Errorf("%d tokens of 5 requests", len(all))
	}
}

// The secret itself is never said, and who is refused gets no proof.
func TestSecretIsNotSaid(t *testing.T) {
	s := testSecret()
	h := hello{version, 0, 1, 3, 2, newNonce()}
	w := encodeWelcome(welcome, 2, h, s)
	said := append(h.encode(), w...)
	said = append(said, s.proof(byCaller, h.encode(), w)...)
	for _, part := range [][]byte{s[:16], s[16:]} {
		if bytes.Contains(said, part) {
			t.Error("half of the secret crosses the network")
		}
	}
	if w := encodeWelcome(wrongVersion, 2, h, s); !bytes.Equal(w[16:], make([]byte, welcomeSize-16)) {
		t.Error("a stranger gets a proof")
	}
}
