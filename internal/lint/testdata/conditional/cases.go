package cases

var names = map[bool]string{true: "on", false: "off"} // HIT

var seen = map[bool]int{}

func cases(on bool) []string {
	return []string{
		map[bool]string{true: "on"}[on], // HIT
		names[on],
		map[string]string{"a": "b"}["a"],
	}
}
