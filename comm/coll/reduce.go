package coll

func reduces() []Algorithm { return []Algorithm{} }
