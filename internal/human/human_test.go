package human

import (
	"fmt"
	"testing"
)

func TestNumbersForPeople(t *testing.T) {
	for got, want := range map[string]string{
		Size(0): "0 B", Size(1025): "1025 B", Size(64 << 10): "64 KiB", Size(3 << 30): "3 GiB", Size(2 << 40): "2048 GiB",
		Amount(1023): "1023 B", Amount(1536): "1.5 KiB", Amount(64 << 20): "64 MiB", Amount(5 << 29): "2.5 GiB",
		Count(1, "launch", "launches"): "1 launch", Count(0, "launch", "launches"): "0 launches", Count(12, "rank", "ranks"): "12 ranks",
		Percent(0.00031): "0.031", Percent(0.047): "4.7", Percent(0.0994): "9.9", Percent(0.0996): "10", Percent(0.98): "98", Percent(1.2): "120",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func ExampleCount() {
	fmt.Println(Count(1, "row is", "rows are"), "left out")
	// Output: 1 row is left out
}
