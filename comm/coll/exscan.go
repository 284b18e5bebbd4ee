package coll

func exscans() []Algorithm { return []Algorithm{} }
