package record

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"

	"gobench/stats"
)

// Values holds the values of metrics by their keys, in the order of the catalogue. The zero Values
// holds none. Copies are independent. Absent fields of a Value take no memory, because a report
// reads 100,000 points.
type Values struct {
	packed []uint64 // for each metric a header, and the fields of its Value that are not 0
	rare   []string // keys and statistics that the tables do not have
}

// A header holds the index of the key, that of the statistic, and a bit for each field.
const (
	keyShift   = 32
	fieldsMask = 1<<numbers - 1
)

// numbers is the number of numeric fields of a Value.
const numbers = 16

// valueKinds are the kinds of values that headers name by their index.
var valueKinds = []string{"", Mean, RankMean, Best}

// numbersOf returns the numeric fields of a Value as bits.
func numbersOf(v *Value) [numbers]uint64 {
	return [numbers]uint64{
		math.Float64bits(v.Median), math.Float64bits(v.Mean), math.Float64bits(v.Lo), math.Float64bits(v.Hi), math.Float64bits(v.Confidence),
		uint64(v.N), uint64(v.EffectiveN),
		math.Float64bits(v.Min), math.Float64bits(v.P50), math.Float64bits(v.P90), math.Float64bits(v.P99), math.Float64bits(v.P99Lo),
		math.Float64bits(v.P99Hi), math.Float64bits(v.P999), math.Float64bits(v.Max), math.Float64bits(v.Within),
	}
}

// set is the inverse of numbersOf.
func (v *Value) set(n *[numbers]uint64) {
	v.Median, v.Mean, v.Lo, v.Hi, v.Confidence = math.Float64frombits(n[0]), math.Float64frombits(n[1]), math.Float64frombits(n[2]), math.Float64frombits(n[3]), math.Float64frombits(n[4])
	v.N, v.EffectiveN = int(n[5]), int(n[6])
	v.Min, v.P50, v.P90, v.P99, v.P99Lo = math.Float64frombits(n[7]), math.Float64frombits(n[8]), math.Float64frombits(n[9]), math.Float64frombits(n[10]), math.Float64frombits(n[11])
	v.P99Hi, v.P999, v.Max, v.Within = math.Float64frombits(n[12]), math.Float64frombits(n[13]), math.Float64frombits(n[14]), math.Float64frombits(n[15])
}

// ValuesOf returns the Values of a map.
func ValuesOf(all map[string]Value) (v Values) {
	for key, one := range all {
		v.Set(key, one)
	}
	return v
}

// Len returns the number of metrics.
func (v Values) Len() (n int) {
	for at := 0; at < len(v.packed); at += size(v.packed[at]) {
		n++
	}
	return n
}

// size returns the number of words of a metric with its header.
func size(header uint64) int { return 1 + bits.OnesCount64(header&fieldsMask) }

// find returns the place of a metric, or that where it belongs.
func (v *Values) find(key string) (at int, found bool) {
	code := v.code(metricIndex, key)
	for at < len(v.packed) && v.packed[at]>>keyShift < code {
		at += size(v.packed[at])
	}
	return at, at < len(v.packed) && v.packed[at]>>keyShift == code
}

// code returns the index of a name in a table, or behind the table that of a rare one, which is not
// known yet if the code is the highest.
func (v *Values) code(table map[string]uint64, name string) uint64 {
	if i, ok := table[name]; ok {
		return i
	}
	i := slices.Index(v.rare, name)
	if i < 0 {
		i = len(v.rare)
	}
	return uint64(len(table) + i)
}

// metricIndex and statisticIndex hold the places of names in the tables.
var (
	metricIndex    = indices(len(Metrics), func(i int) string { return Metrics[i].Key })
	statisticIndex = indices(len(valueKinds), func(i int) string { return valueKinds[i] })
)

func indices(n int, name func(int) string) map[string]uint64 {
	m := map[string]uint64{}
	for i := range n {
		m[name(i)] = uint64(i)
	}
	return m
}

// Times returns the metrics that are times of one event.
func (v *Values) Times() (set TimeSet) {
	for at := 0; at < len(v.packed); at += size(v.packed[at]) {
		if code := v.packed[at] >> keyShift; code < uint64(len(Metrics)) {
			set |= timeOf[code]
		}
	}
	return set
}

// Has reports whether the metric is there.
func (v Values) Has(key string) bool { return v.position(key) >= 0 }

// position returns the position of a metric, -1 if it is absent. It compares keys, because few
// metrics are found so in less time than a key in a map.
func (v *Values) position(key string) int {
	for at := 0; at < len(v.packed); at += size(v.packed[at]) {
		if v.key(at) == key {
			return at
		}
	}
	return -1
}

// Get returns the value of a metric, the zero Value if it is absent.
func (v Values) Get(key string) Value {
	one, _ := v.Lookup(key)
	return one
}

// Lookup returns the value of a metric, and whether it is there.
func (v Values) Lookup(key string) (Value, bool) {
	at := v.position(key)
	if at < 0 {
		return Value{}, false
	}
	return v.at(at), true
}

// Median returns the median of a metric, 0 if it is absent.
func (v Values) Median(key string) float64 {
	at := v.position(key)
	if at < 0 || v.packed[at]&1 == 0 {
		return 0
	}
	return math.Float64frombits(v.packed[at+1])
}

// at returns the value at a place.
func (v *Values) at(at int) (one Value) {
	header := v.packed[at]
	var n [numbers]uint64
	for left := header & fieldsMask; left != 0; left &= left - 1 {
		at++
		n[bits.TrailingZeros64(left)] = v.packed[at]
	}
	one.set(&n)
	if code := header >> numbers & (1<<(keyShift-numbers) - 1); code < uint64(len(valueKinds)) {
		one.Statistic = valueKinds[code]
	} else {
		one.Statistic = v.rare[code-uint64(len(valueKinds))]
	}
	return one
}

// All yields all metrics in the order of the catalogue; others follow.
func (v Values) All() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for at := 0; at < len(v.packed); at += size(v.packed[at]) {
			if !yield(v.key(at), v.at(at)) {
				return
			}
		}
	}
}

// Keys yields the keys of all metrics.
func (v Values) Keys() iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := 0; at < len(v.packed); at += size(v.packed[at]) {
			if !yield(v.key(at)) {
				return
			}
		}
	}
}

func (v *Values) key(at int) string {
	if code := v.packed[at] >> keyShift; code < uint64(len(Metrics)) {
		return Metrics[code].Key
	} else {
		return v.rare[code-uint64(len(Metrics))]
	}
}

// Set sets the value of a metric.
func (v *Values) Set(key string, one Value) {
	v.packed = append(make([]uint64, 0, len(v.packed)+1+numbers), v.packed...)
	v.put(key, one)
}

// put is Set in the memory of v.
func (v *Values) put(key string, one Value) {
	code, statistic := v.name(metricIndex, key), v.name(statisticIndex, one.Statistic)
	at, found := v.find(key)
	rest := v.packed[at:]
	if found {
		rest = rest[size(rest[0]):]
	}
	rest = slices.Clone(rest)
	v.packed = append(pack(v.packed[:at], code, statistic, &one), rest...)
}

// name is code for a name that is added to the rare ones.
func (v *Values) name(table map[string]uint64, name string) uint64 {
	code := v.code(table, name)
	if code == uint64(len(table)+len(v.rare)) {
		v.rare = append(slices.Clip(v.rare), name)
	}
	return code
}

// pack appends a metric.
func pack(packed []uint64, key, statistic uint64, v *Value) []uint64 {
	head := len(packed)
	packed = append(packed, key<<keyShift|statistic<<numbers)
	n := numbersOf(v)
	for i, x := range n {
		if x != 0 {
			packed[head] |= 1 << i
			packed = append(packed, x)
		}
	}
	return packed
}

// Delete removes a metric.
func (v *Values) Delete(key string) {
	if at := v.position(key); at >= 0 {
		v.packed = slices.Concat(v.packed[:at], v.packed[at+size(v.packed[at]):])
	}
}

// SameKeys reports whether both hold the same metrics of the catalogue, and no others.
func (v Values) SameKeys(other Values) bool {
	i, j := 0, 0
	for i < len(v.packed) && j < len(other.packed) && v.packed[i]>>keyShift == other.packed[j]>>keyShift {
		i += size(v.packed[i])
		j += size(other.packed[j])
	}
	return i == len(v.packed) && j == len(other.packed) && len(v.rare)+len(other.rare) == 0
}

// SameFields reports whether both hold the same metrics of the catalogue, with the same statistics
// of each, and no others.
func (v Values) SameFields(other Values) bool {
	i := 0
	for i < len(v.packed) && i < len(other.packed) && v.packed[i] == other.packed[i] {
		i += size(v.packed[i])
	}
	return i == len(v.packed) && i == len(other.packed) && len(v.rare)+len(other.rare) == 0
}

// Equal reports whether both hold the same.
func (v Values) Equal(other Values) bool {
	return slices.Equal(v.packed, other.packed) && slices.Equal(v.rare, other.rare)
}

// appendTo appends bytes that are equal for equal Values.
func (v *Values) appendTo(b []byte) []byte {
	for _, word := range v.packed {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	for _, name := range v.rare {
		b = append(append(b, name...), 0)
	}
	return b
}

// String returns all values, for messages.
func (v Values) String() string {
	all := map[string]Value{}
	for key, one := range v.All() {
		all[key] = one
	}
	return fmt.Sprintf("%+v", all)
}

// A valuesBlock holds the Values of many points, one behind the other.
type valuesBlock []uint64

// keep returns a copy of v.
func (b *valuesBlock) keep(v Values) Values {
	if cap(*b)-len(*b) < len(v.packed) {
		*b = make([]uint64, 0, max(len(v.packed), 16<<10))
	}
	from := len(*b)
	*b = append(*b, v.packed...)
	v.packed = slices.Clip((*b)[from:])
	return v
}

// Times returns the value of a summary of times in seconds. It leaves out the percentiles if events
// were timed in batches, because percentiles of batches are not those of events.
func Times(s stats.Summary, batched bool) Value {
	v := Value{
		Median: s.P50, Mean: s.Mean, Lo: s.Lo, Hi: s.Hi, Confidence: s.Confidence,
		N: s.N, EffectiveN: s.EffectiveN,
	}
	if !batched {
		v.Min, v.P50, v.P90, v.P99, v.P999, v.Max = s.Min, s.P50, s.P90, s.P99, s.P999, s.Max
	}
	return v
}

// Rate returns the value of a rate: amount (bytes, messages) divided by the times of s. The lower
// bound of the time gives the upper bound of the rate.
func Rate(s stats.Summary, amount float64) Value {
	r := s.Rate(amount)
	return Value{
		Median: r.Median, Lo: r.Lo, Hi: r.Hi, Confidence: s.Confidence,
		N: s.N, EffectiveN: s.EffectiveN,
	}
}
