package coll

import "sync"

// Defaults is the table that holds where no file of rules was loaded. It is the same
// for every machine; gobench tune finds what is best on one.
func Defaults() *Table { return defaults() }

var defaults = sync.OnceValue(func() *Table { return &Table{Origin: "defaults"} })
