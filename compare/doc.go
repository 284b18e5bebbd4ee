// Package compare decides whether two sets of records differ. For each cell it computes the ratio
// with its interval, the p-value, and a verdict. It reads records only and prints nothing.
//
// A cell is the set of points that agree in all factors but the compared one (by default the file).
// The unit of a comparison is the launch: each launch counts as one value, its median. Iterations
// within a launch do not predict the next launch, so a side of one launch gets a ratio and no
// verdict.
//
// # States of the cores
//
// Launches in different states of the cores are strata of one test (stats.Shift): each launch is
// compared with launches of the other side in its own state.
//
// # Sessions
//
// Successive launches are correlated, and the state of a machine changes within a day. If the
// launches of both sides alternate in time, as in a sweep of two programs, the conditions of both
// sides are the same, and the Mann-Whitney test is valid as it is. If the sides were measured one
// after the other, in two sessions, the difference of the sides has three variances. The spread
// within a side estimates only the first:
//
//	s²(1/NA + 1/NB)  of independent launches
//	  x (1+ρ)/(1-ρ)  because neighbours in time are correlated: ρ is estimated from the
//	                 launches of all cells of both sides in the order of time
//	  + 2 τ²         between sessions; more launches do not reduce it
//
// On the logarithmic scale, the distance of each bound of the interval from the ratio is multiplied
// by the widening λ, the square root of the sum divided by the first variance:
//
//	λ² = (1+ρ)/(1-ρ) + h (τ/s)²    h = harmonic mean of NA and NB
//
// This is the design effect of clustered samples (Kish 1965). (The spread s within a side is too
// small if launches are correlated; this is corrected as well.) The p-value comes from the
// Mann-Whitney test after dividing the logarithm of the ratio by λ, so that p <= 5 % exactly if the
// widened interval excludes 1. τ/s cannot be estimated from two sides. A Floor measures it by
// comparing sessions of one program with each other. Without a floor τ/s is assumed to be 0.5.
//
// # Gates
//
// A gate fails if a slowdown is shown: significant after Holm's correction over all cells, and
// greater than the declared minimum. It does not fail if nothing is shown, and it does not demand
// proof that each cell is as fast as before, which 8 launches of 16 cells cannot give. Instead it
// reports which slowdown would have been detected in nine of ten cases (Row.Detectable). It is
// inconclusive if that slowdown exceeds Options.Detect in most cells, because such a gate could
// hardly fail.
//
// There are no averages over sizes or cells.
package compare
