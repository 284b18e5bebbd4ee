// Package collect makes slices of the elements of others, where package slices has no function.
package collect

import "slices"

// Each returns the results of f for all elements of a list, nil if the list is empty.
func Each[T, R any](list []T, f func(T) R) []R {
	if len(list) == 0 {
		return nil
	}
	results := make([]R, len(list))
	for i, x := range list {
		results[i] = f(x)
	}
	return results
}

// If returns the elements for which wanted returns true, nil if there are none.
func If[T any](list []T, wanted func(T) bool) (some []T) {
	for _, x := range list {
		if wanted(x) {
			some = append(some, x)
		}
	}
	return some
}

// Pointers returns the addresses of the elements.
func Pointers[T any](list []T) []*T {
	return Each(Range(len(list)), func(i int) *T { return &list[i] })
}

// Range returns the numbers from 0 to n-1.
func Range(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// Union appends those values to a list that it does not have.
func Union[T comparable](list []T, values ...T) []T {
	for _, v := range values {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// First returns the first element of each key.
func First[K comparable, T any](list []T, key func(T) K) (some []T) {
	seen := map[K]bool{}
	for _, x := range list {
		if k := key(x); !seen[k] {
			seen[k], some = true, append(some, x)
		}
	}
	return some
}

// By divides the elements of a list into those with equal keys. Groups are in the order of their
// first elements.
func By[K comparable, T any](list []T, key func(T) K) [][]T {
	var sizes []int // of the groups, so that none grows
	at := map[K]int{}
	of := make([]int32, len(list)) // the group of each element
	for n, x := range list {
		k := key(x)
		i, known := at[k]
		if !known {
			i = len(sizes)
			at[k], sizes = i, append(sizes, 0)
		}
		of[n] = int32(i)
		sizes[i]++
	}
	groups := Each(sizes, func(n int) []T { return make([]T, 0, n) })
	for n, x := range list {
		groups[of[n]] = append(groups[of[n]], x)
	}
	return groups
}
