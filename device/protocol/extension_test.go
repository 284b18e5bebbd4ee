package protocol

import "testing"

// plainSink is a Sink without further interfaces.
type plainSink struct{ Sink }

// noticedSink accepts notices as well.
type noticedSink struct {
	Sink
	words int
}

func (s *noticedSink) Notice(int, uint32) { s.words++ }

// An Extension is that of the sink that is asked for, also after another one.
func TestExtension(t *testing.T) {
	var e Extension[NoticeSink]
	one, other := &noticedSink{}, &noticedSink{}
	for _, s := range []*noticedSink{one, one, other, one} {
		n, ok := e.Of(s)
		if !ok {
			t.Fatal("it is not found")
		}
		n.Notice(0, 0)
		if _, ok := e.Of(plainSink{}); ok {
			t.Error("it is found where there is none")
		}
	}
	if one.words != 3 || other.words != 1 {
		t.Errorf("%d and %d notices, want 3 and 1", one.words, other.words)
	}
}
