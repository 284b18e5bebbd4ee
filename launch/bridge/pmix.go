package bridge

import (
	"fmt"

	"gobench/transports/native/pmix"
)

// Built reports whether this program can be a bridge to PMIx.
const Built = pmix.Built

// PMIx joins the job of the PMIx server that the environment names.
func PMIx() (Store, error) {
	c, err := pmix.Open()
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, pmix.Install)
	}
	return c, nil
}
