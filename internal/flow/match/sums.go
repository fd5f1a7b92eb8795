package match

func sum(costs []float32) (total float32) {
	for _, c := range costs {
		total += c
	}
	return total
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
