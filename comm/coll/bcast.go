package coll

func bcasts() []Algorithm { return []Algorithm{bcastMST()} }
