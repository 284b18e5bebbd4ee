package rendezvous_test

import (
	"testing"

	"gobench/launch/launchtest"
)

func TestMain(m *testing.M) { launchtest.Main(m, nil) }
