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
		factor := 1.0
		for i, unit := range "kmg" {
			if digits, ok := strings.CutSuffix(words[0], string(unit)); ok {
				words[0], factor = digits, float64(int64(1)<<(10*(i+1)))
			}
		}
		if factor > 1 && strings.Contains(words[0], ".") {
			return l.leaveOut("the size is printed rounded")
		}
		// Counts are printed with 10^3 as k.
		count := 1.0
		for i, unit := range "kmg" {
			if digits, ok := strings.CutSuffix(words[1], string(unit)); ok {
				words[1], count = digits, math.Pow10(3*(i+1))
			}
		}
		values, ok := parseAll([]string{words[0], words[1], words[6]})
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
