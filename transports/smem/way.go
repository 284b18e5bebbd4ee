package smem

import (
	"cmp"
	"fmt"
	"math/bits"
	"strings"

	"gobench/device"
	"gobench/device/profile"
	"gobench/device/protocol"
	"gobench/internal/simd"
)

// A tuning holds the methods for messages between two ranks at one distance. Trials find it
// (Driver.Try), and a profile brings it here.
type tuning struct {
	copier string // the routine that copies into the ring, and into memory that others read (simd.Copiers)
	fetch  string // the routine that copies out of it, and to and from memory that peers reach
	tables [traffics]table
}

// A traffic tells messages apart whose best methods differ: by what else moves meanwhile, and by
// whether both buffers can be reached.
type traffic int

const (
	alone     traffic = iota
	both              // messages in both directions together
	stream            // one after the other in one direction
	reachable         // peers have the memory mapped, or share the address space
	traffics
)

var trafficNames = [traffics]string{"messages", "both", "stream", "memory"}

// A table holds the method of each class of sizes. The classes are powers of two, the last one has
// all longer messages.
type table [classes]protocol.Method

const (
	classes    = 10
	firstClass = 13 // the logarithm of the greatest size of the first class: 8 KiB

	// eager is the method of messages that are not announced. Those of up to 4 KiB always are.
	eager    = protocol.Method(len(methodWords) - 1)
	maxEager = 64 << 10
)

var methodWords = [...]string{protocol.Pipeline.String(), protocol.Get.String(), protocol.Put.String(), protocol.Split.String(), "eager"}

// classOf returns the class of a size.
func classOf(size int) int {
	return min(max(bits.Len(uint(max(size, 1)-1))-firstClass, 0), classes-1)
}

// sizeOf returns the greatest size of a class.
func sizeOf(class int) int { return 1 << (firstClass + class) }

// of returns the method of a size; announced messages have another one than eager.
func (t *table) of(size int) protocol.Method {
	if m := t[classOf(size)]; m != eager {
		return m
	}
	return protocol.Pipeline
}

// String returns the table as parseTable reads it: "eager to 64K, split to 1M, get".
func (t table) String() string {
	var b strings.Builder
	for class, m := range t {
		if class+1 < classes && t[class+1] == m {
			continue
		}
		b.WriteString(methodWords[m])
		if class+1 < classes {
			fmt.Fprintf(&b, " to %s, ", sizeText(sizeOf(class)))
		}
	}
	return b.String()
}

// sizeText formats a size of a class as an option would have it.
func sizeText(size int) string {
	if size >= 1<<20 {
		return fmt.Sprintf("%dM", size>>20)
	}
	return fmt.Sprintf("%dK", size>>10)
}

// parseTable reads a table: methods with the size up to which each is used, in ascending order.
func parseTable(text string) (t table, err error) {
	from := 0
	for _, part := range strings.Split(text, ",") {
		word, limit, limited := strings.Cut(strings.TrimSpace(part), " to ")
		m := protocol.Method(0)
		for int(m) < len(methodWords) && methodWords[m] != word {
			m++
		}
		if int(m) == len(methodWords) {
			return t, fmt.Errorf("method %q is none of %s", word, strings.Join(methodWords[:], ", "))
		}
		end := classes
		if limited {
			size, err := device.ParseBytes(limit)
			if err != nil {
				return t, err
			}
			end = classOf(size) + 1
		}
		for ; from < end; from++ {
			if t[from] = m; m == eager && sizeOf(from) > maxEager {
				t[from] = protocol.Pipeline
			}
		}
	}
	if from < classes {
		return t, fmt.Errorf("%q has no method for longer messages", text)
	}
	return t, nil
}

// filled returns a table of one method, with eager messages up to a size.
func filled(limit int, m protocol.Method) (t table) {
	for class := range t {
		if t[class] = m; sizeOf(class) <= limit {
			t[class] = eager
		}
	}
	return t
}

// Without a profile ranks use plain. It needs nothing of the kernel or the processor.
var plain = tuning{copier: "go", fetch: "go", tables: [traffics]table{
	alone: filled(maxEager, protocol.Pipeline), both: filled(0, protocol.Pipeline), stream: filled(0, protocol.Pipeline),
	reachable: filled(8<<10, protocol.Split),
}}

// Where ranks outnumber processors, they use crowded: every packet that the ring has no room for
// costs a switch of processes. Data often stays on one core. No trial is possible.
var crowded = tuning{copier: "go", fetch: "go", tables: [traffics]table{
	alone: filled(32<<10, protocol.Split), both: filled(0, protocol.Get), stream: filled(0, protocol.Pipeline),
	reachable: filled(8<<10, protocol.Split),
}}

// tuningOf returns the way of a profile at a distance, and what of it this build does not know.
// What the profile lacks is as at the other distance, else as in plain.
func tuningOf(p *profile.Profile, distance int) (tuning, []string) {
	found, unknown := plain, []string(nil)
	read := func(what string, take func(pick string) error) {
		routine := routineOf(distance, what)
		if pick := cmp.Or(p.Pick(routine), p.Pick(routineOf(1-distance, what))); pick != "" {
			if err := take(pick); err != nil {
				unknown = append(unknown, fmt.Sprintf("the profile's choice for %s is ignored: %v", routine, err))
			}
		}
	}
	copier := func(to *string) func(string) error {
		return func(pick string) error {
			if _, ok := simd.CopierOf(pick); !ok {
				return fmt.Errorf("this processor or build has no routine %q", pick)
			}
			*to = pick
			return nil
		}
	}
	read("copy", copier(&found.copier))
	read("fetch", copier(&found.fetch))
	for t := range traffics {
		read(trafficNames[t], func(pick string) error {
			table, err := parseTable(pick)
			if err == nil {
				found.tables[t] = table
			}
			return err
		})
	}
	return found, unknown
}

// routineOf returns the name of what is chosen for a distance, in a profile.
func routineOf(distance int, what string) string {
	return Name + " " + distanceNames[distance] + " " + what
}

// routine returns the routine of that name, nil for Go's copy, which is cheaper to call directly.
func routine(name string) copier {
	if c, ok := simd.CopierOf(name); ok && name != simd.GoCopy.Name {
		return c.Copy
	}
	return nil
}
