package sweep_test

import (
	"fmt"

	"gobench/internal/experiment/sweep"
)

// Lists are factors: two transports by two numbers of ranks are four commands, in another random
// order in each of two blocks.
func Example() {
	file := `
launches = 2

[[coll]]
transport = ["smem", "tcp"]
np = [2, 4]
op = "bcast"
`
	verbs := []sweep.Verb{{Name: "coll", Flags: []string{"transport", "np", "op"}}}
	plan, err := sweep.Parse([]byte(file), "sweep.toml", verbs)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range plan.Order(1, 1) {
		fmt.Printf("block %d: gobench %s\n", l.Block, l.Command)
	}
	// Output:
	// block 1: gobench coll --transport=smem --np=4 --op=bcast
	// block 1: gobench coll --transport=tcp --np=2 --op=bcast
	// block 1: gobench coll --transport=tcp --np=4 --op=bcast
	// block 1: gobench coll --transport=smem --np=2 --op=bcast
	// block 2: gobench coll --transport=tcp --np=2 --op=bcast
	// block 2: gobench coll --transport=tcp --np=4 --op=bcast
	// block 2: gobench coll --transport=smem --np=4 --op=bcast
	// block 2: gobench coll --transport=smem --np=2 --op=bcast
}

// A mistake in a file is a *record.FileError with its line.
func ExampleParse() {
	verbs := []sweep.Verb{{Name: "coll", Flags: []string{"transport"}}}
	_, err := sweep.Parse([]byte("[[coll]]\ntransprot = \"smem\"\n"), "sweep.toml", verbs)
	fmt.Println(err)
	// Output:
	// sweep.toml:2: unknown key "transprot": did you mean "transport"? keys of [[coll]]: transport
}
