package table

import "unsafe"

// MaxIdle is the maximum size, in bytes, of a buffer that is kept for the next call.
const MaxIdle = 1 << 20

// Shed drops a buffer of more than [MaxIdle] bytes. Such a buffer grew for a large text, and most texts are small.
func Shed[T any](buffer *[]T) {
	var element T
	if cap(*buffer)*int(unsafe.Sizeof(element)) > MaxIdle {
		*buffer = nil
	}
}
