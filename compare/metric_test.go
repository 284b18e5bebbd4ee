package compare

import (
	"testing"

	"gobench/record"
)

func TestMainMetricsAreInTheCatalogue(t *testing.T) {
	for _, key := range mainMetrics {
		if m, ok := record.Lookup(key); !ok || m.Key != key {
			t.Errorf("no metric %s", key)
		}
	}
	if len(metricOrder("")) != len(record.Metrics) {
		t.Error("a metric is missing")
	}
}
