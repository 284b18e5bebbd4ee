// Package compare says whether two sets of records differ: per cell the ratio
// with its interval, the p-value, and a verdict. It reads records and nothing
// else, and it draws nothing.
//
// A cell is what has all factors in common but the one that is compared (by
// default the file). The unit of a comparison is the launch: each launch counts as one
// value, its median. The iterations of one launch say nothing about the next, so that a side of
// one launch gets a ratio and no verdict.
//
// # Occasions
//
// Launches that follow each other resemble each other, and a machine is not the same at ten
// o'clock and at two. Where the launches of both sides alternate in time, as in a sweep of two
// programs, both meet the same machine, and the Mann-Whitney test is right as it is. Where one side was
// measured after the other, the difference of the sides holds three variances, of which the
// spread inside of a side shows the first alone:
//
//	s²(1/NA + 1/NB)  of independent launches
//	  x (1+ρ)/(1-ρ)  because neighbours in time are correlated: ρ is estimated from the
//	                 launches of all cells of both sides in the order of time
//	  + 2 τ²         of the occasion, which more launches do not lower
//
// The distance of the interval's bounds from the ratio is multiplied (on the logarithmic scale)
// by the root of what the sum is to the first of them, the widening
//
//	λ² = (1+ρ)/(1-ρ) + h (τ/s)²    h = harmonic mean of NA and NB
//
// This is the design effect of samples in clusters (Kish 1965). (The spread s inside of a side is
// too small where launches are correlated, which is put right as well.) The p-value is that of the
// Mann-Whitney test after the logarithm of the ratio was divided by λ, so that p < 5 % exactly
// where the widened interval excludes 1. τ/s is not visible in two sides. A Floor measures
// it: records of one program on many occasions are compared with themselves, as many launches
// with as many. Without a floor τ/s is assumed to be a half.
//
// # Gates
//
// A gate fails where a slowdown is shown: significant after Holm's correction over all cells, and
// greater than the declared minimum. It does not fail where nothing is shown, and does not ask for
// proof that each cell is as fast as before, which no 8 launches of 16 cells give. In its place
// it says which slowdown would have been found in nine of ten cases (Row.Detectable), and is
// inconclusive where that is more than Options.Detect in most
// cells: a gate that could not fail is no pass.
//
// There are no averages over sizes and no averages of ratios.
package compare
