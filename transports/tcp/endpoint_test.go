package tcp

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gobench/device"
	"gobench/device/contact"
	"gobench/internal/fuzzing"
)

// letters is a job of two ranks in which the other has sent anything.
type letters [2][]byte

func (l *letters) Rank() int      { return 0 }
func (l *letters) Size() int      { return 2 }
func (l *letters) LocalSize() int { return 2 }
func (l *letters) Hosts() []int   { return []int{0, 0} }
func (l *letters) Exchange(_ context.Context, own []byte) ([][]byte, error) {
	l[0] = own
	return l[:], nil
}

// Whatever another rank says of itself, its endpoint fits or it is named.
func FuzzCards(t *testing.F) {
	f := fuzzing.New(t)
	mine := endpoint{Version: version, Connections: 2, Secret: make([]byte, contact.SecretSize)}
	f.Add(fmt.Appendf(nil, `{"Version":%d,"Connections":2,"Addresses":[{"Interface":"eth0","Addr":"10.1.0.2","Bits":16,"Speed":1000000000,"Port":2}],"Process":"AAAA"}`, version))
	f.Add([]byte(`{"Version":4,"Connections":2}`))
	f.Add([]byte(`!no network`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, blob []byte) {
		if len(blob) > 1024 {
			return
		}
		var e endpoint
		all, err := exchangeEndpoints(context.Background(), &letters{1: blob}, mine, nil)
		if err == nil {
			e, err = all.of(1)
		}
		var protocol *device.ProtocolError
		var peer *device.PeerError
		switch {
		case err == nil && (e.Version != version || e.Connections != 2):
			t.Errorf("%q is taken as %+v", blob, e)
		case err != nil && !(errors.As(err, &protocol) && protocol.Rank == 1) && !(errors.As(err, &peer) && peer.Rank == 1):
			t.Errorf("%q: error %v names nobody", blob, err)
		}
	})
}
