package directive

import "strings"

// nearest is the candidate that s was probably meant to be, "" where none is
// near: one or two edits away, or s is the start of just one.
func nearest(s string, candidates []string) string {
	best, at := "", 3
	for _, c := range candidates {
		if d := distance(s, c); d < at && d < len(c) {
			best, at = c, d
		}
	}
	if best != "" || len(s) < 2 {
		return best
	}
	for _, c := range candidates {
		if strings.HasPrefix(c, s) || strings.HasPrefix(s, c) {
			if best != "" {
				return ""
			}
			best = c
		}
	}
	return best
}

// distance counts the edits from one word to another: insert, delete, replace, or swap two
// neighbours.
func distance(from, to string) int {
	a, b := []rune(from), []rune(to)
	before := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev = prev, row
	}
	return prev[len(b)]
}

// list joins names for a sentence: "a, b or c", or with "and".
func list(names []string, last string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + last + " " + names[len(names)-1]
}
