package ship

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"

	"mcpproxy"
	"mcpproxy/internal/bucket"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/version"
)

// BucketCursorFile says which records of a data folder the bucket has. The uploader writes it.
const BucketCursorFile = "bucket-cursor.json"

// uploadEvery is the time between two checks for new records. Each check makes at most one object, unless many records
// wait.
const uploadEvery = time.Minute

// BucketOptions configure an uploader.
type BucketOptions struct {
	Folder string // data folder, which contains the cursor
	Source Source
	Signer *ledger.Signer
	// Place returns the bucket of the configuration. When it changes, the uploader ends.
	Place func() bucket.Place
	// Bare reports whether arguments and responses stay on this machine.
	Bare func() bool
	// Record writes a record into the log and returns after it is on disk.
	Record func(ctx context.Context, r *mcpproxy.Record) error
	// Transport, if set, sends the requests.
	Transport http.RoundTripper
	// Every, if set, replaces the time between two checks for new records.
	Every time.Duration
}

// BucketCursor is the content of the BucketCursorFile.
type BucketCursor struct {
	Address  string    `json:"address"` // of the bucket to which the cursor belongs
	Endpoint string    `json:"endpoint,omitempty"`
	Machine  string    `json:"machine"` // short name of the key of the log
	Seq      int64     `json:"seq"`     // number of the last record that the bucket has
	Hash     string    `json:"hash,omitempty"`
	Told     int64     `json:"told,omitempty"` // number of the last record that the log reports as not sent
	Sent     time.Time `json:"sent,omitzero"`  // time when the store last confirmed an object
}

// ReadBucketCursor returns the cursor in a data folder, which says which records the bucket has. If the cursor belongs
// to another bucket, it returns a cursor without records.
func ReadBucketCursor(ctx context.Context, folder string, p bucket.Place) (c BucketCursor, err error) {
	err = read(ctx, folder, BucketCursorFile, &c)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (c.Address != p.Address || c.Endpoint != p.Endpoint) {
		return BucketCursor{Address: p.Address, Endpoint: p.Endpoint}, nil
	}
	return c, err
}

// Save writes the BucketCursorFile.
func (c BucketCursor) Save(folder string) error { return write(folder, BucketCursorFile, c) }

// Uploader stores the records of a log in a bucket, as objects with one record a line, in the order of the chain.
type Uploader struct {
	o     BucketOptions
	place bucket.Place
	http  *http.Client
	attempts

	mu     sync.Mutex
	cursor BucketCursor
}

// NewUploader returns an uploader that continues after the cursor in the folder.
func NewUploader(ctx context.Context, o BucketOptions) (*Uploader, error) {
	p := o.Place()
	if err := p.Check(); err != nil {
		return nil, err
	}
	cursor, err := ReadBucketCursor(ctx, o.Folder, p)
	if err != nil {
		return nil, err
	}
	if cursor.Machine != o.Signer.ID() { // the first run, or a log with another key
		cursor = BucketCursor{Address: p.Address, Endpoint: p.Endpoint, Machine: o.Signer.ID()}
	}
	if o.Every == 0 {
		o.Every = uploadEvery
	}
	return &Uploader{
		o:        o,
		place:    p,
		attempts: attempts{to: p.Address},
		cursor:   cursor,
		http: &http.Client{
			Transport:     o.Transport,
			Timeout:       requestTimeout,
			CheckRedirect: refuseRedirect,
		},
	}, nil
}

// refuseRedirect refuses redirects, because a signature is valid for one host only.
func refuseRedirect(r *http.Request, _ []*http.Request) error {
	return fmt.Errorf("the store redirects to %s: set ship.s3.region or ship.s3.endpoint to that store", r.URL.Host)
}

// Cursor returns up to which record the log was sent.
func (u *Uploader) Cursor() BucketCursor {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.cursor
}

// To returns the address of the bucket.
func (u *Uploader) To() string { return u.place.Address }

// Sent returns the number of the last record that the bucket has, and when the store confirmed records last.
func (u *Uploader) Sent() (seq int64, at time.Time) {
	c := u.Cursor()
	return c.Seq, c.Sent
}

// Keep sends records until ctx ends or the configuration names another bucket.
func (u *Uploader) Keep(ctx context.Context) {
	ended := func(context.Context) bool { return u.o.Place() != u.place }
	u.keep(ctx, u.o.Every, ended, u.Send)
}

// Send stores one object. More reports whether many further records probably wait.
func (u *Uploader) Send(ctx context.Context) (more bool, err error) {
	at := u.Cursor()
	first, records, err := u.o.Source.SealedAfter(ctx, at.Seq, MaxRecords, batchBytes)
	if err != nil || len(records) == 0 {
		return false, err
	}
	if first == at.Seq+1 && records[0].Prev != at.Hash {
		return false, fmt.Errorf("the activity log is not the one whose records the bucket has: its record no. %d follows "+
			"another one; if the log was replaced on purpose, remove %s from the data folder", first, BucketCursorFile)
	}
	b, err := newObject(first, records, u.o.Bare())
	if err != nil {
		return false, err
	}
	if first > at.Seq+1 && at.Told < first-1 {
		if err := u.tellGap(ctx, at, b); err != nil {
			return false, err
		}
	}
	if err := u.put(ctx, b); err != nil {
		return false, err
	}
	err = u.move(func(c *BucketCursor) {
		c.Seq, c.Hash = b.last, b.hash
		c.Sent = time.Now().UTC()
	})
	return err == nil && (len(records) == MaxRecords || b.bytes >= batchBytes), err
}

// tellGap writes a record into the log that says how many records before the object were not sent. The cursor
// remembers this.
func (u *Uploader) tellGap(ctx context.Context, at BucketCursor, b *object) error {
	gap := mcpproxy.Gap{
		Reason: mcpproxy.GapUnstored,
		From:   at.Sent,
		To:     b.time,
		Lost:   b.first - at.Seq - 1,
	}
	if err := record(ctx, u.o.Record, gap, u.place.Address); err != nil {
		return err
	}
	return u.move(func(c *BucketCursor) { c.Told = b.first - 1 })
}

// move changes the cursor, first on disk and then in memory.
func (u *Uploader) move(change func(*BucketCursor)) error {
	next := u.Cursor()
	change(&next)
	if err := next.Save(u.o.Folder); err != nil {
		return err
	}
	u.mu.Lock()
	u.cursor = next
	u.mu.Unlock()
	return nil
}

// object is the content of an object, with facts about its first and last record.
type object struct {
	first, last int64     // numbers of the records
	begin       string    // hash of the first record
	hash        string    // hash of the last record
	id          string    // id of the last record
	time        time.Time // time of the first record
	bytes       int       // total size of the records in the log, in bytes
	content     []byte
}

// newObject makes the object for consecutive records of the chain. The same records always give the same object.
func newObject(first int64, records []ledger.Sealed, bare bool) (*object, error) {
	o := &object{
		first: first,
		last:  first + int64(len(records)) - 1,
		begin: records[0].Hash,
	}
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	lines := json.NewEncoder(zip)
	prev := records[0].Prev
	for i, sealed := range records {
		forged := sealed.Form == ledger.FormKeyed && ledger.Hash(prev, sealed.Body) != sealed.Hash
		if sealed.Prev != prev || forged {
			return nil, fmt.Errorf("record no. %d of the activity log is not the one that was written: "+
				"mcpproxy activity verify says what is wrong with it", first+int64(i))
		}
		prev = sealed.Hash
		r, err := sealed.Open()
		if err != nil {
			return nil, fmt.Errorf("record no. %d of the activity log: %w", first+int64(i), err)
		}
		if bare && (r.Arguments != nil || r.Response != nil) {
			r.Arguments, r.Response = nil, nil
			r.Redacted = true
		}
		if err := lines.Encode(r); err != nil {
			return nil, fmt.Errorf("encoding records for the bucket: %w", err)
		}
		if i == 0 {
			o.time = r.Timestamp
		}
		o.id = r.ID
		o.bytes += len(sealed.Body) + len(sealed.Arguments) + len(sealed.Response)
	}
	o.hash = prev
	if err := zip.Close(); err != nil {
		return nil, fmt.Errorf("compressing records for the bucket: %w", err)
	}
	o.content = out.Bytes()
	return o, nil
}

// key is the name of the object below the address of the bucket. It depends only on the first record, so records that
// are sent again replace their earlier object. If the log was begun anew, its records get other names.
func (o *object) key(machine string) string {
	name := fmt.Sprintf("%016d-%.8s.jsonl.gz", o.first, cmp.Or(o.begin, "0"))
	return path.Join("machine="+machine, "date="+o.time.UTC().Format(time.DateOnly), name)
}

// The names of the objects' metadata.
const (
	headerFirst = "X-Amz-Meta-Mcpproxy-First" // number of the first record
	headerLast  = "X-Amz-Meta-Mcpproxy-Last"  // number of the last record
	headerHead  = "X-Amz-Meta-Mcpproxy-Head"  // base64 of the signed checkpoint of the last record
)

// put stores an object.
func (u *Uploader) put(ctx context.Context, b *object) error {
	user := bucket.FromEnvironment()
	if user.ID == "" || user.Secret == "" {
		return errors.New("the daemon's environment lacks AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY, with which records " +
			"are sent to a bucket")
	}
	head, err := json.Marshal(u.o.Signer.Sign(ledger.Checkpoint{
		Seq:    b.last,
		ID:     b.id,
		Hash:   b.hash,
		Count:  b.last,
		Reason: ledger.ReasonHead,
	}, time.Now()))
	if err != nil {
		return err
	}
	at, err := u.place.Object(b.key(u.o.Signer.ID()))
	if err != nil {
		return err
	}
	address, err := at.URL()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, address.String(), bytes.NewReader(b.content))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/gzip")
	r.Header.Set(headerFirst, strconv.FormatInt(b.first, 10))
	r.Header.Set(headerLast, strconv.FormatInt(b.last, 10))
	r.Header.Set(headerHead, base64.StdEncoding.EncodeToString(head))
	r.Header.Set("User-Agent", "mcpproxy/"+version.String())
	user.Sign(r, at.Region, b.content, time.Now())
	answer, err := u.http.Do(r)
	if err != nil {
		return fmt.Errorf("reaching the store of the bucket: %w", err)
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if answer.StatusCode != http.StatusOK {
		return refusedBy(answer, said)
	}
	if err != nil {
		return fmt.Errorf("reading the answer of the store: %w", err)
	}
	return nil
}

// refusedBy returns the error for an answer that does not confirm the object.
func refusedBy(answer *http.Response, said []byte) error {
	text := strings.TrimSpace(answer.Status)
	_, after, _ := strings.Cut(string(said), "<Code>")
	code, _, ends := strings.Cut(after, "</Code>")
	letter := func(c rune) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }
	if ends && len(code) < 64 && strings.TrimFunc(code, letter) == "" {
		text += " (" + code + ")"
	}
	return fmt.Errorf("the store %s answered %s", answer.Request.URL.Host, text)
}
