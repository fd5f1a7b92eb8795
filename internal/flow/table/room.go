package table

import "unsafe"

// MaxIdle is the most memory, in bytes, that a buffer may take to be kept for the next
// call.
const MaxIdle = 1 << 20

// Shed drops a buffer that takes more than [MaxIdle]: it grew for a large text, and
// most texts are small.
func Shed[T any](buffer *[]T) {
	var element T
	if cap(*buffer)*int(unsafe.Sizeof(element)) > MaxIdle {
		*buffer = nil
	}
}
