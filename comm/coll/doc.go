// Package coll implements collective operations: the algorithms, the table that selects among them,
// and a Runner that executes them.
//
// A message algorithm is a function that emits the program of one rank (package
// schedule); an algorithm in shared memory is a function of package shared. The file named for an
// operation lists its algorithms and holds them. Trees, halving and other parts that several
// algorithms use have their own files.
package coll
