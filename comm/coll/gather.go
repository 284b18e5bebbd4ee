package coll

func gathers() []Algorithm { return []Algorithm{} }
