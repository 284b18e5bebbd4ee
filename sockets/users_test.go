package sockets

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/rpc"
	"sync"
	"testing"
)

// An unmodified HTTP server and client, with bodies of all sizes and calls at the same time.
func TestHTTP(t *testing.T) {
	l, err := Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Write(body)
	}), ConnState: func(c net.Conn, s http.ConnState) {
		if s == http.StateNew && Channel(c) != "memory" {
			t.Errorf("a connection is by %s", Channel(c))
		}
	}}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	transport := &http.Transport{DialContext: new(Dialer).DialContext}
	client := http.Client{Transport: transport}
	var callers sync.WaitGroup
	for i := range 4 {
		callers.Go(func() {
			for size := 0; size < 4<<20; size = size*5 + 1 {
				want := bytes.Repeat([]byte{byte('a' + i)}, size)
				answer, err := client.Post("http://"+l.Addr().String(), "text/plain", bytes.NewReader(want))
				if err != nil {
					t.Error(err)
					return
				}
				got, err := io.ReadAll(answer.Body)
				answer.Body.Close()
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%d bytes came back of %d: %v", len(got), size, err)
				}
			}
		})
	}
	callers.Wait()
	transport.CloseIdleConnections()
	server.Close()
	if err := <-served; err != http.ErrServerClosed {
		t.Error(err)
	}
}

// Reverser is a service of net/rpc.
type Reverser struct{}

// Reverse returns text in the other direction.
func (Reverser) Reverse(text string, answer *string) error {
	b := []byte(text)
	for i := range len(b) / 2 {
		b[i], b[len(b)-1-i] = b[len(b)-1-i], b[i]
	}
	*answer = string(b)
	return nil
}

func TestRPC(t *testing.T) {
	l, err := Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	server := rpc.NewServer()
	server.Register(Reverser{})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go server.ServeConn(c)
		}
	}()
	c, err := Dial("tcp", l.Addr().String())
	if err != nil || Channel(c) != "memory" {
		t.Fatal(err)
	}
	client := rpc.NewClient(c)
	defer client.Close()
	var callers sync.WaitGroup
	for i := range 4 {
		callers.Go(func() {
			for k := range 200 {
				var answer string
				if err := client.Call("Reverser.Reverse", fmt.Sprint("abc", i, k), &answer); err != nil || len(answer) < 5 || answer[len(answer)-3:] != "cba" {
					t.Errorf("%q, %v", answer, err)
				}
			}
		})
	}
	callers.Wait()
}
