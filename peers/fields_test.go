package main

import "testing"

func TestReadPoints(t *testing.T) {
	points, err := readPoints("what a launcher says\npoint size_B=8 half_rtt_s=1.5e-07 min=1e-07 n=51 batch=4 before_s=2.7e-08 after_s=2.8e-08\n")
	if err != nil {
		t.Fatal(err)
	}
	want := point{size: 8, halfRTT: 1.5e-7, before: 2.7e-8, after: 2.8e-8, sampling: sampling{51, 4}}
	if len(points) != 1 || points[0] != want {
		t.Errorf("got %+v, want one point %+v", points, want)
	}
	if _, err := readPoints("point size_B=eight\n"); err == nil {
		t.Error("a size that is no number was accepted")
	}
}

func TestReadNetPIPE(t *testing.T) {
	points, err := readNetPIPE("       8 1.114400   0.00005477\n      12 1.721201   0.00005319\n", []int{8}, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := point{size: 8, halfRTT: 0.00005477, before: 1, after: 2}
	if len(points) != 1 || points[0] != want {
		t.Errorf("got %+v, want one point %+v", points, want)
	}
	if _, err := readNetPIPE("Client: Cannot Connect!\n", []int{8}, 1, 2); err == nil {
		t.Error("a message was accepted as a row")
	}
}

func TestReadRecords(t *testing.T) {
	points, err := readRecords(`{"kind":"run"}
{"kind":"point","size_B":1024,"path":"eager","batched":4,"half_rtt_s":{"median":2e-7,"n":30},"distance_before_s":3e-8,"distance_after_s":4e-8}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := point{size: 1024, halfRTT: 2e-7, before: 3e-8, after: 4e-8, path: "eager", sampling: sampling{30, 4}}
	if len(points) != 1 || points[0] != want {
		t.Errorf("got %+v, want one point %+v", points, want)
	}
	if _, err := readRecords("#bytes\n"); err == nil {
		t.Error("a table was accepted as records")
	}
}
