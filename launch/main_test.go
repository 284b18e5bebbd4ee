package launch_test

import (
	"testing"

	"gobench/internal/launch/launchtest"
)

func TestMain(m *testing.M) { launchtest.Main(m, nil) }
