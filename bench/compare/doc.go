// Package compare says whether two sets of records differ: per cell the ratio
// with its interval, the p-value, and a verdict. It reads records and nothing
// else, and it draws nothing.
//
// A cell is what has all factors in common but the one that is compared (by
// default the file). The unit of a comparison is the launch, not the iteration:
// where both sides have several launches, each launch counts as one value, its
// median. Where a side has one launch only, the intervals inside the launches are
// compared, which says nothing about the next launch; the row says so (Level).
//
// A difference counts only beyond the declared minimum and beyond the noise floor
// of the machine, which is measured by comparing the machine with itself (Floor).
// There are no averages over sizes and no averages of ratios.
package compare
