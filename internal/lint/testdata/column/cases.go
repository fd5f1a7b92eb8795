package cases

//go:generate a directive may be as long as it needs to be, since there is no way to break it over more than one line of it

// A comment is as easy to break as code, and this one goes on and on until the reader has to scroll far to the right. HIT

// https://example.org/an/address/cannot/be/broken/an/address/cannot/be/broken/an/address/cannot/be/broken/an/address/cannot

func cases(someArgument, anotherArgument int) bool {
	return someArgument+anotherArgument == anotherArgument+someArgument && someArgument < anotherArgument || true // HIT
}

var message = "a string may be as long as it needs to be, since breaking it would keep searches from finding what users see"

type tagged struct {
	field string `json:"a_tag_cannot_be_broken" doc:"so that it may be as long as the documentation of the field has to be"`
}
