package npb

import (
	"fmt"
	"strconv"
	"strings"
)

// FormatE formats v as Fortran's Ew.d does, with a mantissa below 1:
// 8.597 in E20.13 is "  0.8597000000000E+01".
func FormatE(v float64, width, digits int) string {
	s := strconv.FormatFloat(v, 'e', digits-1, 64)
	mantissa, power, ok := strings.Cut(s, "e")
	if !ok { // NaN and infinities
		return fmt.Sprintf("%*s", width, s)
	}
	sign := ""
	if mantissa[0] == '-' {
		sign, mantissa = "-", mantissa[1:]
	}
	exponent, _ := strconv.Atoi(power)
	if v != 0 {
		exponent++
	}
	s = fmt.Sprintf("%s0.%sE%+03d", sign, strings.Replace(mantissa, ".", "", 1), exponent)
	return fmt.Sprintf("%*s", width, s)
}

// FormatPD formats v as Fortran's 1PDw.d does: with one digit before the point and
// a D before the exponent.
func FormatPD(v float64, width, digits int) string {
	s := strings.Replace(strconv.FormatFloat(v, 'e', digits, 64), "e", "D", 1)
	return fmt.Sprintf("%*s", width, s)
}
