package smem

import (
	"strings"
	"testing"
)

func TestCheckRoom(t *testing.T) {
	if err := checkRoom(1 << 60); err == nil || !strings.Contains(err.Error(), "are available") {
		t.Errorf("an exabyte: %v", err)
	}
	if err := checkRoom(pageSize); err != nil {
		t.Errorf("no room for a page: %v", err)
	}
}
