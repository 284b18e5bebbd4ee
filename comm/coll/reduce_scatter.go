package coll

func reduceScatters() []Algorithm { return []Algorithm{} }
