package coll

// Defaults is the table that holds where no file of rules was loaded.
func Defaults() *Table { return &Table{Origin: "defaults"} }
