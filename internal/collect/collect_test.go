package collect

import (
	"reflect"
	"strconv"
	"testing"
)

func TestCollect(t *testing.T) {
	list := []int{3, 10, 4, 30}
	even := func(n int) bool { return n%2 == 0 }
	for _, c := range []struct{ got, want any }{
		{Each(list, strconv.Itoa), []string{"3", "10", "4", "30"}},
		{Each(nil, strconv.Itoa), []string(nil)},
		{First(list, func(n int) int { return n % 5 }), []int{3, 10, 4}},
		{Pointers(list)[1] == &list[1], true},
		{If(list, even), []int{10, 4, 30}},
		{If(list[:1], even), []int(nil)},
		{list, []int{3, 10, 4, 30}},
		{Range(3), []int{0, 1, 2}},
		{Union(list[:2:2], 10, 5, 5), []int{3, 10, 5}},
		{By(list, func(n int) int { return n % 5 }), [][]int{{3}, {10, 30}, {4}}},
		{By(nil, even), [][]int(nil)},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
}
