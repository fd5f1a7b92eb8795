package flow

import (
	"encoding/json"
	"strconv"

	"mcpproxy"
)

// coded keeps the JSON of a session's origins and moves, which never change. A gateway that shares its state writes
// the session with every call, and encodes only what is new. The zero value is ready to use.
type coded struct {
	origins map[int]codedOrigins // by the first number of the block
	moves   [][]byte             // of the session's first moves, in their order
	size    int                  // in bytes
}

// codedOrigins is the JSON of the origins whose numbers are in one block.
type codedOrigins struct {
	count int
	json  []byte
}

// originBlock is the number of origins that are encoded together. A block is kept once all of its numbers are used.
// Origins that are gone do not return, so the number of those left tells whether the JSON is current.
const originBlock = 32

// roomForNew is the number of bytes that are set aside for origins that have not been encoded yet.
const roomForNew = originBlock * 512

// bytes is the memory that the JSON takes.
func (c *coded) bytes() int { return c.size }

// encode returns the origins and the moves of a session as JSON, an object and an array.
func (c *coded) encode(s *Session) (origins, moves []byte, err error) {
	if origins, err = c.encodeOrigins(s); err != nil {
		return nil, nil, err
	}
	if moves, err = c.encodeMoves(s.moves); err != nil {
		return nil, nil, err
	}
	c.size = 0
	for _, block := range c.origins {
		c.size += len(block.json)
	}
	for _, move := range c.moves {
		c.size += len(move)
	}
	return origins, moves, nil
}

func (c *coded) encodeOrigins(s *Session) ([]byte, error) {
	kept := make(map[int]codedOrigins, len(c.origins)+1)
	out := append(make([]byte, 0, c.size+roomForNew), '{')
	for rest := s.numbers(); len(rest) > 0; {
		first := rest[0] - rest[0]%originBlock
		n := 0
		for n < len(rest) && rest[n] < first+originBlock {
			n++
		}
		block := c.origins[first]
		if block.count != n {
			raw, err := encodeBlock(s.origins, rest[:n])
			if err != nil {
				return nil, err
			}
			block = codedOrigins{count: n, json: raw}
		}
		if first+originBlock <= s.next {
			kept[first] = block
		}
		out = append(out, block.json...)
		rest = rest[n:]
	}
	c.origins = kept
	return closed(out, '}'), nil
}

// encodeBlock returns the members of origins with the given numbers, each with a comma behind it.
func encodeBlock(origins map[int]*mcpproxy.Origin, numbers []int) (out []byte, err error) {
	for _, n := range numbers {
		raw, err := json.Marshal(origins[n])
		if err != nil {
			return nil, err
		}
		out = append(out, '"')
		out = strconv.AppendInt(out, int64(n), 10)
		out = append(out, '"', ':')
		out = append(append(out, raw...), ',')
	}
	return out, nil
}

func (c *coded) encodeMoves(moves []Move) ([]byte, error) {
	for _, m := range moves[len(c.moves):] {
		raw, err := json.Marshal(m)
		if err != nil {
			return nil, err
		}
		c.moves = append(c.moves, raw)
	}
	size := 2
	for _, raw := range c.moves {
		size += len(raw) + 1
	}
	out := append(make([]byte, 0, size), '[')
	for _, raw := range c.moves {
		out = append(append(out, raw...), ',')
	}
	return closed(out, ']'), nil
}

// dropMoves forgets the first n moves.
func (c *coded) dropMoves(n int) { c.moves = c.moves[min(n, len(c.moves)):] }

// closed replaces the comma at the end of a list by its end.
func closed(list []byte, end byte) []byte {
	if n := len(list); n > 1 {
		list = list[:n-1]
	}
	return append(list, end)
}
