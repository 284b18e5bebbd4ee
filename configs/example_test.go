package configs_test

import (
	"bytes"
	"fmt"

	"gobench/configs"
)

// A sweep of the repository is read by its name.
func ExampleRead() {
	sweep, err := configs.Read("quick")
	fmt.Println(bytes.Contains(sweep, []byte("[[p2p]]")), err)
	// Output: true <nil>
}
