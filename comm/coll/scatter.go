package coll

func scatters() []Algorithm { return []Algorithm{} }
