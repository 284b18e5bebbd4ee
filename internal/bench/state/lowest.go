package state

import "slices"

// A least is the lowest of many measurements of a quantity that disturbances only increase, such as
// the latency between two cores. A value counts once a second one agrees with it, because a clock
// that is stepped, a damaged file, or a migration to another machine gives single values that are
// too low, and every other measurement would look disturbed beside one of them.
//
// If no two values agree, the lowest counts. Invariants: value is 0 without measurements; the
// values of rest agree neither with value nor with each other.
type lowest struct {
	value float64
	alone bool // no second measurement agrees with value
	rest  [4]float64
	next  int // element of rest to be overwritten
}

// trusted returns a least value that is known to be right.
func trusted(value float64) lowest { return lowest{value: value} }

// add adds a measurement. Two agree if their ratio is at most factor.
func (l *lowest) add(v, factor float64) {
	switch {
	case l.value == 0:
		l.value, l.alone = v, true
	case agree(v, l.value, factor):
		l.value, l.alone = min(l.value, v), false
	case v > l.value && !l.alone:
	default:
		l.unconfirmed(v, factor)
	}
}

// unconfirmed adds a measurement that does not agree with the value.
func (l *lowest) unconfirmed(v, factor float64) {
	for i, r := range l.rest {
		if r == 0 || !agree(v, r, factor) {
			continue
		}
		l.rest[i] = 0
		if l.alone {
			l.keep(l.value)
		}
		l.value, l.alone = min(v, r), false
		return
	}
	if l.alone && v < l.value {
		v, l.value = l.value, v
	}
	l.keep(v)
}

// keep stores a value with which none agrees.
func (l *lowest) keep(v float64) {
	l.rest[l.next] = v
	l.next = (l.next + 1) % len(l.rest)
}

func agree(a, b, factor float64) bool { return max(a, b) <= factor*min(a, b) }

// denied reports whether the value has no other that agrees with it while one of the rest agrees
// with the confirmed value of another source.
func (l *lowest) denied(by lowest, factor float64) bool {
	if !l.alone || by.alone || by.value == 0 {
		return false
	}
	return slices.ContainsFunc(l.rest[:], func(r float64) bool { return r != 0 && agree(r, by.value, factor) })
}
