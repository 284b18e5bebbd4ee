package simd

import "gobench/internal/simd/kernel"

// The kernels of bt, lu and sp, and their arguments.
type (
	Flow     = kernel.Flow
	Row      = kernel.Row
	Lines    = kernel.Lines
	Blocks   = kernel.Blocks
	Penta    = kernel.Penta
	Relax    = kernel.Relax
	RelaxRow = kernel.RelaxRow
)

// Sizes of the arguments, as in package kernel.
const (
	LineLanes                        = kernel.LineLanes
	BlockKept, BlockForth, BlockBack = kernel.BlockKept, kernel.BlockForth, kernel.BlockBack
	PentaKept, PentaForth, PentaBack = kernel.PentaKept, kernel.PentaForth, kernel.PentaBack
	RelaxParts                       = kernel.RelaxParts
)
