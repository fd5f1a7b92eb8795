package cases

type point struct {
	a, b, c, d int
}

var hits = []point{
	{a: 1, b: 2, c: 3, d: 4}, // HIT
	{
		a: 1,
		b: 2, c: 3, // HIT
		d: 4,
	},
}

var misses = []any{
	point{a: 1, b: 2, c: 3},
	point{1, 2, 3, 4},
	point{
		a: 1,
		b: 2,
		c: 3,
		d: 4,
	},
	map[int]int{one: 1, two: 2, three: 3, four: 4},
	map[string]int{"a": 1, "b": 2, "c": 3, "d": 4},
	[...]int{one: 1, two: 2, three: 3, four: 4},
}
