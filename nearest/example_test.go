package nearest_test

import (
	"fmt"

	"gobench/nearest"
)

// An error for a name that does not exist suggests the nearest one.
func Example() {
	known := []string{"smem", "tcp", "ibv"}
	if _, err := lookup("smen", known); err != nil {
		fmt.Println(err)
	}
	// Output: unknown transport "smen": did you mean "smem"? known: smem, tcp, ibv
}

func lookup(name string, known []string) (int, error) {
	for i, k := range known {
		if k == name {
			return i, nil
		}
	}
	return 0, &nearest.UnknownError{What: "transport", Name: name, Known: known}
}
