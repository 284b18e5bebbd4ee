package coll

func scans() []Algorithm { return []Algorithm{} }
