package bridge

import (
	"fmt"
	"os"

	"gobench/transports/native/pmi"
	"gobench/transports/native/pmix"
)

// Built reports whether this program can be a bridge.
const Built = pmix.Built

// Open joins the job of the environment: by libpmi where aprun has started the rank, else by
// libpmix.
func Open() (Store, error) {
	if _, alps := os.LookupEnv("ALPS_APP_PE"); alps {
		c, err := pmi.Open()
		if err != nil {
			return nil, fmt.Errorf("%w (%s)", err, pmi.Install)
		}
		return newGathered(c), nil
	}
	c, err := pmix.Open()
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, pmix.Install)
	}
	return c, nil
}
