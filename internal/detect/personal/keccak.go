package personal

import (
	"encoding/binary"
	"math/bits"
)

// keccak256 is the hash that Ethereum uses: SHA-3 with the padding from before its standardisation. The standard
// library only has the standard.
func keccak256(data []byte) (out [32]byte) {
	const rate = 136
	var state [25]uint64
	block := make([]byte, (len(data)/rate+1)*rate)
	copy(block, data)
	block[len(data)] |= 1
	block[len(block)-1] |= 0x80
	for ; len(block) > 0; block = block[rate:] {
		for i := range rate / 8 {
			state[i] ^= binary.LittleEndian.Uint64(block[8*i:])
		}
		keccakF(&state)
	}
	for i := range 4 {
		binary.LittleEndian.PutUint64(out[8*i:], state[i])
	}
	return out
}

// keccakRounds are the constants of the 24 rounds.
var keccakRounds = [24]uint64{
	0x1,
	0x8082,
	0x800000000000808a,
	0x8000000080008000,
	0x808b,
	0x80000001,
	0x8000000080008081,
	0x8000000000008009,
	0x8a,
	0x88,
	0x80008009,
	0x8000000a,
	0x8000808b,
	0x800000000000008b,
	0x8000000000008089,
	0x8000000000008003,
	0x8000000000008002,
	0x8000000000000080,
	0x800a,
	0x800000008000000a,
	0x8000000080008081,
	0x8000000000008080,
	0x80000001,
	0x8000000080008008,
}

// keccakF permutes the state.
func keccakF(a *[25]uint64) {
	for _, constant := range keccakRounds {
		var c [5]uint64
		for x := range 5 {
			c[x] = a[x] ^ a[x+5] ^ a[x+10] ^ a[x+15] ^ a[x+20]
		}
		for i := range a {
			x := i % 5
			a[i] ^= c[(x+4)%5] ^ bits.RotateLeft64(c[(x+1)%5], 1)
		}
		last := a[1]
		x := 1
		y := 0
		for t := range 24 {
			x, y = y, (2*x+3*y)%5
			a[x+5*y], last = bits.RotateLeft64(last, (t+1)*(t+2)/2%64), a[x+5*y]
		}
		for y := 0; y < 25; y += 5 {
			row := [5]uint64(a[y : y+5])
			for x := range 5 {
				a[y+x] = row[x] ^ ^row[(x+1)%5]&row[(x+2)%5]
			}
		}
		a[0] ^= constant
	}
}
