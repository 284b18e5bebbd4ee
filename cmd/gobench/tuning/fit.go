package tuning

import (
	"cmp"
	"math"
	"slices"

	"gobench/bench/record"
	"gobench/bench/series"
	"gobench/bench/state"
	"gobench/comm/coll"
	"gobench/comm/op"
	"gobench/comm/schedule"
	"gobench/micro/collective"
)

// Cell is what was found for one operation, size and number of ranks over one transport.
type Cell struct {
	Transport string
	Kind      schedule.Kind
	Ranks     int
	Size      int
	Best      Found
	Default   Found // what the defaults choose
	Chosen    coll.Choice
}

// block is the size by which an algorithm is chosen.
func (c *Cell) block() int { return collective.Block(c.Kind, c.Size, c.Ranks) }

// Found is the time of one algorithm, in seconds.
type Found struct {
	Choice coll.Choice
	Time   record.Value
}

// cells makes rows of the launches' points, sorts them into cells and chooses for each.
func cells(points []record.Point) []Cell {
	var scale state.Scale
	found := map[Cell]map[state.State][]Found{}
	for _, p := range series.Rows(points, &scale) {
		kind, ok := schedule.ParseKind(p.Bench)
		if !ok {
			continue
		}
		choice, err := coll.ParseChoice(kind, p.Algorithm)
		if err != nil {
			continue
		}
		key := Cell{Transport: p.Transport, Kind: kind, Ranks: p.Ranks, Size: int(p.Size)}
		if found[key] == nil {
			found[key] = map[state.State][]Found{}
		}
		in := scale.OfPoint(&p)
		found[key][in] = append(found[key][in], Found{choice, p.Metrics["global_s"]})
	}
	var list []Cell
	for c, states := range found {
		var all []Found // of the state of the cores in which most algorithms were seen
		for in := range state.Count {
			if len(states[in]) > len(all) {
				all = states[in]
			}
		}
		c.choose(all)
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Cell) int {
		return cmp.Or(cmp.Compare(a.Transport, b.Transport), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Ranks, b.Ranks), cmp.Compare(a.Size, b.Size))
	})
	return list
}

// choose takes the fastest, unless that is not surely faster than the default.
func (c *Cell) choose(all []Found) {
	slices.SortStableFunc(all, func(a, b Found) int { return cmp.Compare(a.Time.Median, b.Time.Median) })
	c.Best = all[0]
	c.Chosen = c.Best.Choice
	shape := schedule.Shape{Kind: c.Kind, Ranks: c.Ranks, Bytes: c.block(), Elem: 1}
	if c.Kind.Reduces() {
		shape.Elem, shape.Commutative = op.Sum[float32]().Elem, true
	}
	memory := slices.ContainsFunc(all, func(f Found) bool { return f.Choice.Share != nil })
	usual := coll.Defaults().Choose(c.Transport, &shape, memory).String()
	for _, f := range all {
		if f.Choice.String() == usual {
			c.Default = f
			if f.Time.Lo <= c.Best.Time.Hi { // or there are no intervals
				c.Chosen = f.Choice
			}
		}
	}
}

// rules makes thresholds out of cells: a choice holds up to halfway, in powers of two, to
// the next size that was measured, the last for any longer, and for ranks up to the number
// that was measured: how more of them behave, nobody has seen.
func rules(list []Cell) []coll.Rule {
	var made []coll.Rule
	for i := 0; i < len(list); {
		j := i
		for j < len(list) && list[j].Transport == list[i].Transport && list[j].Kind == list[i].Kind && list[j].Ranks == list[i].Ranks {
			j++
		}
		made = append(made, bySize(list[i:j])...)
		i = j
	}
	return made
}

// bySize makes the rules for one number of ranks.
func bySize(sizes []Cell) []coll.Rule {
	var made []coll.Rule
	for i, c := range sizes {
		r := coll.Rule{Transport: c.Transport, Kind: c.Kind, Ranks: c.Ranks, Choice: c.Chosen}
		if i+1 < len(sizes) {
			r.Bytes = int(math.Sqrt(float64(max(1, c.block())) * float64(sizes[i+1].block())))
		}
		if n := len(made); n > 0 && made[n-1].Choice.String() == r.Choice.String() {
			made[n-1].Bytes = r.Bytes
			continue
		}
		made = append(made, r)
	}
	return made
}
