package protocol

// A node is an element of the queues that searches compare: a posted receive or an unexpected
// message.
type node[N any] interface {
	comparable
	fits(tag, context int32) bool
	after(src int) N // neighbours in the queue of a source, which may be device.AnySource
	before(src int) N
	ends() *int // number of searches whose last node is this one
}

// A search stores its arguments and the last node that was compared without a match, so that
// repeated searches in a long queue compare each other node only once. Invariant: no node up to
// last fits the arguments. It holds, because nodes are added at the end only, and one that is
// removed was either not compared, or its predecessor becomes the last.
type search[N node[N]] struct {
	src          int
	tag, context int32
	last         N // nil: no node has been compared
}

const (
	shortSearch = 16 // nodes compared before a search is stored
	stored      = 8  // searches stored
)

// searches stores the last searches in a set of queues.
type searches[N node[N]] struct {
	all    [stored]search[N]
	oldest int // the search that is overwritten next
	steps  int // steps of seek, counted for tests
}

// seek returns the first node that fits in the queue of src, or nil. It continues a stored search,
// or begins one at next, before which no node fits.
func (k *searches[N]) seek(next N, src int, tag, context int32) N {
	var none N
	var s *search[N]
	for i := range k.all {
		if o := &k.all[i]; o.src == src && o.tag == tag && o.context == context {
			s = o
			break
		}
	}
	if s == nil {
		s = &k.all[k.oldest]
		k.oldest = (k.oldest + 1) % stored
		k.leave(s, none)
		*s = search[N]{src: src, tag: tag, context: context}
	}
	last := s.last
	if last != none {
		next = last.after(src)
	}
	for next != none && !next.fits(tag, context) {
		next, last = next.after(src), next
		k.steps++
	}
	k.leave(s, last)
	return next
}

// leave sets the last node of a search.
func (k *searches[N]) leave(s *search[N], last N) {
	var none N
	if s.last != none {
		*s.last.ends()--
	}
	if s.last = last; last != none {
		*last.ends()++
	}
}

// forget moves the searches that end at a node, which is about to be removed, to its predecessor.
func (k *searches[N]) forget(n N) {
	for i := 0; *n.ends() > 0; i++ {
		if s := &k.all[i]; s.last == n {
			k.leave(s, n.before(s.src))
		}
	}
}
