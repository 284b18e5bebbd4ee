package human

import (
	"math"
	"strconv"
	"strings"
)

// Digits returns the number of significant digits that an interval of this relative half width
// supports: its last digit is about as large as the interval. share is 0 where no interval is
// known, and two digits are shown.
func Digits(share float64) int {
	switch {
	case share >= 0.05 || share <= 0:
		return 2
	case share < 0.005:
		return 4
	default:
		return 3
	}
}

// Rounded formats a number with a number of significant digits, and with all digits before the
// decimal point: 0.13, 11.1, 366. Zero and infinity are "-".
func Rounded(v float64, digits int) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return "-"
	}
	// The exponent after rounding: 9.96 has two digits as 10.
	_, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', digits-1, 64), "e")
	e, _ := strconv.Atoi(exponent)
	return strconv.FormatFloat(v, 'f', max(0, digits-1-e), 64)
}

// PlusMinus formats a relative half width in percent, "" where it is 0: 0.4, 3, 38, >999.
func PlusMinus(share float64) string {
	switch {
	case share <= 0:
		return ""
	case share >= 10:
		return ">999"
	case share < 0.00995:
		return strconv.FormatFloat(100*share, 'f', 1, 64)
	default:
		return strconv.FormatFloat(100*share, 'f', 0, 64)
	}
}
