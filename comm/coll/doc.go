// Package coll holds the algorithms of collective operations, one file each,
// the choice among them and what runs them.
//
// A message algorithm is a function that emits the program of one rank (package
// schedule); an algorithm in shared memory is a function of package shared. The
// lists by operation are in the files named for the operations, algorithms in
// files named OPERATION_ALGORITHM.go, and what several have in common (trees,
// rings, halving) in files of its own.
package coll
