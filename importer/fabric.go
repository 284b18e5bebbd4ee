package importer

import (
	"fmt"
	"math"
	"strings"
)

// fabricHeading matches the heading of the table of fi_pingpong.
var fabricHeading = match(`bytes\s+#sent\s+#ack\s+total\s+time\s+MB/sec\s+usec/xfer\s+Mxfers/sec\s*$`)

var fabricFormat = format{
	name: "fi_pingpong", family: "fabric", read: importFabric,
	banners: []pattern{fabricHeading},
}

// fabricSize matches a size, which begins a row.
var fabricSize = match(`^[0-9.]+[kmg]?$`)

// importFabric reads the table of fi_pingpong. Its time of a transfer is the mean of half round
// trips. Sizes are printed with two digits and 2^10 as k; rounded sizes are left out. The provider
// belongs to the last command before the table.
func importFabric(l *log) error {
	table := false
	return l.each(func(line string) error {
		table = table || fabricHeading.MatchString(line)
		words := strings.Fields(line)
		if !table || len(words) == 0 || !fabricSize.MatchString(words[0]) {
			return nil // also a line of text after the table
		}
		if len(words) != 8 {
			return l.shortRow(len(words), 8)
		}
		size, factor := unsuffixed(words[0], "kmg", 1024)
		if factor > 1 && strings.Contains(size, ".") {
			return l.leaveOut("the size is printed rounded")
		}
		events, count := unsuffixed(words[1], "kmg", 1000)
		values, ok := parseAll([]string{size, events, words[6]})
		if !ok {
			return l.leaveOut("it is not a row of fi_pingpong")
		}
		p := l.point("pingpong", "unknown", "raw", 2)
		p.Size = row{"bytes": values[0].times(factor)}.count("bytes")
		sent := row{"sent": values[1].times(count)}.count("sent")
		if values[2].x <= 0 {
			return l.skip("the time is printed as 0.00")
		}
		p.Options = chosen("provider", l.facts.provider)
		batch(&p, sent)
		p.Metrics.Set("half_rtt_s", mean(values[2].x*1e-6))
		p.Method = fmt.Sprintf("mean of %d round trips timed together, as fi_pingpong prints it", sent)
		rate(&p, "half_rtt_s", p.Size)
		return l.add(p)
	})
}

// unsuffixed splits a number from its suffix, of which the first of units is base, the second its
// square.
func unsuffixed(word, units string, base float64) (digits string, factor float64) {
	for i, unit := range units {
		if digits, ok := strings.CutSuffix(word, string(unit)); ok {
			return digits, math.Pow(base, float64(i+1))
		}
	}
	return word, 1
}
