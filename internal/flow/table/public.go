package table

// Public is the set of k-grams that an agent may have from elsewhere: from external results, the user's own words or
// tool descriptions. It is a Bloom filter in layers of growing size (B. Bloom 1970; blocked as in F. Putze, P.
// Sanders, J. Singler 2007) with 16 bits an entry. It contains about one in two hundred other hashes by mistake.
// Entries stay until the session ends.
type Public struct {
	layers []layer
}

type layer struct {
	blocks []block
	left   int // entries that the last layer can still take
}

// block is one cache line.
type block [8]uint64

const (
	publicBits  = 16       // bits an entry
	firstLayer  = 2048     // entries of the first layer
	layerGrows  = 4        // growth factor of layers; few layers mean few lookups
	maxPublic   = 16 << 20 // bytes; a full set accepts no more entries
	blockBits   = 512
	publicProbe = 6
)

// Add adds h. It returns false if the set is full.
func (p *Public) Add(h uint64) bool {
	if p.Has(h) {
		return true
	}
	if n := len(p.layers); n == 0 || p.layers[n-1].left == 0 {
		entries := firstLayer
		if n > 0 {
			entries = len(p.layers[n-1].blocks) * blockBits / publicBits * layerGrows
		}
		if entries = min(entries, (maxPublic-p.Bytes())*8/publicBits); entries < firstLayer {
			return false
		}
		p.layers = append(
			p.layers,
			layer{blocks: make([]block, (entries*publicBits+blockBits-1)/blockBits), left: entries},
		)
	}
	l := &p.layers[len(p.layers)-1]
	b := l.block(h)
	for i, x := 0, h; i < publicProbe; i++ {
		b[x>>6&7] |= 1 << (x & 63)
		x >>= 9
	}
	l.left--
	return true
}

func (l *layer) block(h uint64) *block {
	return &l.blocks[(h*0xd6e8feb86659fd93>>45)*uint64(len(l.blocks))>>19]
}

// Has reports whether h is in the set.
func (p *Public) Has(h uint64) bool {
layers:
	for i := range p.layers {
		b := p.layers[i].block(h)
		for i, x := 0, h; i < publicProbe; i++ {
			if b[x>>6&7]&(1<<(x&63)) == 0 {
				continue layers
			}
			x >>= 9
		}
		return true
	}
	return false
}

// Warm prefetches the blocks of some hashes, as Table.Ahead does.
func (p *Public) Warm(hashes []uint64) (seen uint64) {
	for i := range p.layers {
		l := &p.layers[i]
		for _, h := range hashes {
			seen |= l.block(h)[0]
		}
	}
	return seen
}

// Absorb adds the contents of another set.
func (p *Public) Absorb(from *Public) { p.layers = append(from.layers, p.layers...) }

// Bytes returns the memory in use.
func (p *Public) Bytes() int {
	n := 0
	for _, l := range p.layers {
		n += len(l.blocks) * blockBits / 8
	}
	return n
}
