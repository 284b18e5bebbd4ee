package smem

// Name is the transport's name, as in --transport=smem.
const Name = "smem"
