package experiment

import "testing"

// After an interrupt the error says where the records are, or that there are none.
func TestInterruptedErrorNamesRecords(t *testing.T) {
	for file, want := range map[string]string{
		"a.jsonl": "interrupted after 1 of 8 launches; records: a.jsonl (3 points)",
		"":        "interrupted after 1 of 8 launches; no records are kept",
	} {
		if got := (&interruptedError{launches: 1, of: 8, points: 3, file: file}).Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
