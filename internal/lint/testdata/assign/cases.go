package cases

var a, b, c = 1, 2, 3 // HIT

var d, e = 1, 2

const f, g, h = 1, 2, 3

func cases(s []int) {
	x, y, z := 1, 2, 3 // HIT
	x, y, z = 4, 5, 6  // HIT
	x, y, z = y, z, x
	x, y = 1, 2
	x, y, z = three()
	for i, j, k := 0, 1, 2; i < j; i, j, k = i+1, j+1, k+1 {
	}
	if i, j, k := 0, 1, 2; i < j {
	}
}
