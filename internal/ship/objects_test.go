package ship_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/oklog/ulid/v2"

	"mcpproxy"
	"mcpproxy/internal/bucket"
	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/ledger/sqlite"
	"mcpproxy/internal/ship"
)

// store is a fake S3-compatible store. Only the user AKID may write.
type store struct {
	*httptest.Server

	mu      sync.Mutex
	objects map[string]stored
	answer  int // HTTP status of all answers; 0 means the correct status
}

type stored struct {
	header http.Header
	body   []byte
}

func newStore(t *testing.T) *store {
	t.Helper()
	s := &store{objects: map[string]stored{}}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(s.put))
	t.Cleanup(s.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "AKID")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s3cret")
	t.Setenv("AWS_SESSION_TOKEN", "")
	return s
}

func (s *store) put(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	at, unclear := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
	same := r.Clone(r.Context())
	same.Header.Del("Content-Length")
	bucket.Credentials{ID: "AKID", Secret: "s3cret"}.Sign(same, "eu-central-1", body, at)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil || unclear != nil || same.Header.Get("Authorization") != r.Header.Get("Authorization"):
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `<?xml version="1.0"?><Error><Code>SignatureDoesNotMatch</Code></Error>`)
	case s.answer == http.StatusFound:
		http.Redirect(w, r, "https://elsewhere.example/", s.answer)
	case s.answer != 0:
		w.WriteHeader(s.answer)
	case r.Method != http.MethodPut:
		w.WriteHeader(http.StatusMethodNotAllowed)
	default:
		s.objects[r.URL.Path] = stored{r.Header.Clone(), body}
	}
}

// says makes the store answer every request with a status.
func (s *store) says(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = status
}

// names returns the names of the objects, sorted.
func (s *store) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for name := range s.objects {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// records returns the records of all objects, in the order of the objects' names.
func (s *store) records(t *testing.T) []mcpproxy.Record {
	t.Helper()
	var out []mcpproxy.Record
	for _, name := range s.names() {
		zip, err := gzip.NewReader(strings.NewReader(string(s.objects[name].body)))
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(zip)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var r mcpproxy.Record
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			out = append(out, r)
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// laptop is a machine that sends its log to a bucket.
type laptop struct {
	t      *testing.T
	folder string
	log    *sqlite.Store
	signer *ledger.Signer
	store  *store
	place  bucket.Place
	bare   bool
	ids    []string
}

func newLaptop(t *testing.T, s *store) *laptop {
	t.Helper()
	l := &laptop{
		t:      t,
		folder: t.TempDir(),
		store:  s,
		place: bucket.Place{
			Address:  "s3://acme-logs/all machines/",
			Endpoint: s.URL,
			Region:   "eu-central-1",
		},
	}
	var err error
	if l.log, err = sqlite.Open(t.Context(), filepath.Join(l.folder, "activity.db")); err == nil {
		l.signer, err = ledger.OpenSigner(l.folder)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.log.Close() })
	return l
}

// write writes n records.
func (l *laptop) write(n int) {
	l.t.Helper()
	var group []*mcpproxy.Record
	for range n {
		r := ledgertest.Full()
		r.ID = ulid.Make().String()
		r.Timestamp = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
		group, l.ids = append(group, r), append(l.ids, r.ID)
	}
	if err := l.log.Append(context.Background(), group); err != nil {
		l.t.Fatal(err)
	}
}

func (l *laptop) uploader() *ship.Uploader {
	l.t.Helper()
	u, err := ship.NewUploader(context.Background(), ship.BucketOptions{
		Folder:    l.folder,
		Source:    l.log,
		Signer:    l.signer,
		Place:     func() bucket.Place { return l.place },
		Bare:      func() bool { return l.bare },
		Transport: l.store.Client().Transport,
		Record: func(ctx context.Context, r *mcpproxy.Record) error {
			l.ids = append(l.ids, r.ID)
			return l.log.Append(ctx, []*mcpproxy.Record{r})
		},
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return u
}

// send sends until no record waits.
func (l *laptop) send(u *ship.Uploader) {
	l.t.Helper()
	for more := true; more; {
		var err error
		if more, err = u.Send(l.t.Context()); err != nil {
			l.t.Fatal(err)
		}
	}
}

// complete checks that the bucket has every record of the log once, in order, and with an unbroken chain.
func (l *laptop) complete() {
	l.t.Helper()
	var got []string
	prev := ""
	for _, r := range l.store.records(l.t) {
		got = append(got, r.ID)
		if r.PrevHash != prev || r.Hash == "" {
			l.t.Errorf("the record %s follows %q, want %q", r.ID, r.PrevHash, prev)
		}
		prev = r.Hash
	}
	if !slices.Equal(got, l.ids) {
		l.t.Errorf("the bucket has %d records, want the %d of the log in their order", len(got), len(l.ids))
	}
}

func TestABucketGetsEveryRecordOnceAndInOrder(t *testing.T) {
	s := newStore(t)
	l := newLaptop(t, s)
	l.write(3)
	l.send(l.uploader())
	l.write(ship.MaxRecords + 5)
	l.send(l.uploader()) // as after a restart
	l.complete()
	names := s.names()
	if len(names) != 3 {
		t.Fatalf("the objects are %q, want 3", names)
	}
	folder := "/acme-logs/all machines/machine=" + l.signer.ID() + "/date=2026-11-28/"
	for i, first := range []int{1, 4, ship.MaxRecords + 4} {
		begin, end := folder+fmt.Sprintf("%016d-", first), ".jsonl.gz"
		if !strings.HasPrefix(names[i], begin) || !strings.HasSuffix(names[i], end) {
			t.Errorf("an object is %s, want %s…%s", names[i], begin, end)
		}
	}
	header := s.objects[names[2]].header
	raw, err := base64.StdEncoding.DecodeString(header.Get("X-Amz-Meta-Mcpproxy-Head"))
	var head ledger.Checkpoint
	if err == nil {
		err = json.Unmarshal(raw, &head)
	}
	if err != nil || !l.signer.Keys().Signed(head) {
		t.Errorf("the head of the object is not signed by the machine: %+v, %v", head, err)
	}
	last := strconv.Itoa(len(l.ids))
	if head.ID != l.ids[len(l.ids)-1] || head.Seq != int64(len(l.ids)) || header.Get("X-Amz-Meta-Mcpproxy-Last") != last {
		t.Errorf("the head is %+v, and the last record %q; want no. %s", head, header.Get("X-Amz-Meta-Mcpproxy-Last"), last)
	}
	if at := l.uploader().Cursor(); at.Seq != head.Seq || at.Hash != head.Hash {
		t.Errorf("the cursor is %+v, want it at the head", at)
	}
}

func TestRecordsThatAreSentAgainReplaceTheirObject(t *testing.T) {
	s := newStore(t)
	l := newLaptop(t, s)
	l.write(3)
	old := l.uploader() // the cursor is lost after an object was sent
	l.send(old)
	if err := (ship.BucketCursor{Address: l.place.Address, Endpoint: s.URL, Machine: l.signer.ID()}).Save(l.folder); err != nil {
		t.Fatal(err)
	}
	l.write(2)
	l.send(l.uploader())
	if names := s.names(); len(names) != 1 {
		t.Errorf("the objects are %q, want one", names)
	}
	l.complete()
}

func TestWhatTheStoreDoesNotConfirmIsSentLater(t *testing.T) {
	s := newStore(t)
	l := newLaptop(t, s)
	l.write(3)
	u := l.uploader()
	for status, want := range map[int]string{
		http.StatusServiceUnavailable: "answered 503",
		http.StatusNoContent:          "answered 204",
		http.StatusFound:              "set ship.s3.region or ship.s3.endpoint",
	} {
		s.says(status)
		if _, err := u.Send(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("with the answer %d: %v, want %q", status, err, want)
		}
	}
	s.says(0)
	t.Setenv("AWS_SECRET_ACCESS_KEY", "another")
	if _, err := u.Send(t.Context()); err == nil || !strings.Contains(err.Error(), "403 Forbidden (SignatureDoesNotMatch)") {
		t.Errorf("with a wrong secret: %v", err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	if _, err := u.Send(t.Context()); err == nil || !strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") {
		t.Errorf("without credentials: %v", err)
	}
	if at := u.Cursor(); at.Seq != 0 || len(s.names()) != 0 {
		t.Errorf("the cursor moved to %d without an object", at.Seq)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "AKID")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s3cret")
	l.send(u)
	l.complete()
}

func TestBodiesStayOnTheMachineWhereTheMaskSaysSo(t *testing.T) {
	s := newStore(t)
	l := newLaptop(t, s)
	l.bare = true
	l.write(2)
	l.send(l.uploader())
	for _, r := range s.records(t) {
		if r.Arguments != nil || r.Response != nil || !r.Redacted {
			t.Errorf("the bucket has the bodies of %s", r.ID)
		}
	}
	l.complete()
}

func TestRetentionSparesWhatTheBucketLacks(t *testing.T) {
	s := newStore(t)
	l := newLaptop(t, s)
	l.write(20)
	u := l.uploader()
	l.send(u)
	l.write(400)
	unsent, err := ship.UnsentOf(t.Context(), l.folder, l.place, 1<<30)
	if err != nil || unsent.After != 20 {
		t.Fatalf("retention spares what follows no. %d (%v), want 20", unsent.After, err)
	}
	// With a limit of one byte on disk, unsent records are removed too.
	rules := ledger.Rules{MaxBytes: 100 << 10, Unsent: ledger.Unsent{After: 20, MaxBytes: 1}}
	done, err := l.log.Tidy(t.Context(), time.Now(), rules)
	if err != nil || done.Removed <= 20 {
		t.Fatalf("%d records were removed (%v), want some that were not sent", done.Removed, err)
	}
	lost := done.Removed - 20
	l.send(u)
	l.ids = slices.Delete(l.ids, 20, 20+lost)
	var got []string
	for _, r := range s.records(t) {
		got = append(got, r.ID)
	}
	l.send(u)
	if !slices.Equal(got, l.ids[:len(got)]) {
		t.Errorf("the bucket has %d records, want those of the log that remain", len(got))
	}
	all := s.records(t)
	gap, ok := mcpproxy.GapOf(&all[len(all)-1])
	if !ok || gap.Reason != mcpproxy.GapUnstored || gap.Lost != int64(lost) {
		t.Errorf("the bucket's last record tells of %+v, want %d records that are not stored", gap, lost)
	}
}

func TestALogThatWasReplacedIsNotMixedWithTheOldOne(t *testing.T) {
	s := newStore(t)
	l := newLaptop(t, s)
	l.write(3)
	l.send(l.uploader())
	c := l.uploader().Cursor()
	c.Hash = strings.Repeat("0", 64)
	if err := c.Save(l.folder); err != nil {
		t.Fatal(err)
	}
	l.write(1)
	if _, err := l.uploader().Send(t.Context()); err == nil || !strings.Contains(err.Error(), "is not the one whose records") {
		t.Errorf("records of another chain are sent: %v", err)
	}
}

func TestAnotherBucketGetsTheLogFromItsBeginning(t *testing.T) {
	s := newStore(t)
	l := newLaptop(t, s)
	l.write(3)
	u := l.uploader()
	l.send(u)
	l.place.Address = "s3://other-logs"
	u.Keep(t.Context()) // the uploader ends, because the configuration names another bucket
	again := l.uploader()
	if at := again.Cursor(); at.Seq != 0 {
		t.Errorf("the cursor of another bucket is at %d", at.Seq)
	}
	l.send(again)
	if names := s.names(); len(names) != 2 || !strings.HasPrefix(names[1], "/other-logs/machine=") {
		t.Errorf("the objects are %q", names)
	}
}

func TestAPlaceIsChecked(t *testing.T) {
	for p, want := range map[bucket.Place]string{
		{Address: "s3://acme"}: "",
		{Address: "s3://acme/logs/", Endpoint: "https://minio.example:9000"}: "",
		{Address: "s3://acme", Endpoint: "http://127.0.0.1:9000"}:            "",
		{Address: "s3://acme", Endpoint: "http://minio.example"}:             "must begin with https",
		{Address: "s3://acme", Endpoint: "https://u:p@minio.example"}:        "must look like",
		{Address: "s3://acme", Endpoint: "minio"}:                            "must look like",
		{Address: "https://acme.example/"}:                                   "s3://bucket",
		{Address: ""}:                                                        "s3://bucket",
	} {
		if err := p.Check(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", p, err, want)
		}
	}
	if _, err := ship.NewUploader(t.Context(), ship.BucketOptions{Place: func() bucket.Place {
		return bucket.Place{Address: "acme"}
	}}); err == nil {
		t.Error("an uploader to no bucket")
	}
}
