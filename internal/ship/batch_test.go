package ship_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"mcpproxy/internal/ledger"
	"mcpproxy/internal/ledger/ledgertest"
	"mcpproxy/internal/ship"
)

// zipped returns the compressed content.
func zipped(t testing.TB, content []byte) []byte {
	t.Helper()
	zip, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return zip.EncodeAll(content, nil)
}

// field returns a field as a batch has it: its length, then its bytes.
func field(content string) string {
	return string(binary.AppendUvarint(nil, uint64(len(content)))) + content
}

// sample returns a batch in which every field is set.
func sample(t testing.TB) *ship.Batch {
	t.Helper()
	sealed, err := ledger.Seal("", ledgertest.Full())
	if err != nil {
		t.Fatal(err)
	}
	mark := ledger.Checkpoint{
		Seq:       1,
		ID:        "01FULL",
		Hash:      sealed.Hash,
		Count:     1,
		Time:      time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
		Reason:    ledger.ReasonHead,
		Key:       "0123456789abcdef",
		Signature: []byte("signature"),
	}
	return &ship.Batch{
		Program: "1.0",
		First:   1,
		Count:   1,
		Records: []ship.Record{{
			Body:      sealed.Body,
			Salt:      sealed.Salt,
			Arguments: sealed.Arguments,
			Response:  sealed.Response,
		}},
		Head:     mark,
		Skipped:  &mark,
		Withheld: &mark,
	}
}

func TestABatchIsTheSameAfterEncodingAndDecoding(t *testing.T) {
	want := sample(t)
	raw, err := want.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ship.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestACompressionBombIsRefused(t *testing.T) {
	bomb := zipped(t, make([]byte, ship.MaxContent+1))
	if len(bomb) > ship.MaxBody {
		t.Fatalf("the bomb has %d bytes", len(bomb))
	}
	if _, err := ship.Decode(bomb); !errors.Is(err, ship.ErrForm) {
		t.Errorf("a bomb: %v", err)
	}
}

func TestAnInvalidBatchIsRefused(t *testing.T) {
	head := field(`{"form":2,"program":"x","first":1,"count":1,"head":{}}`)
	whole := head + field("{}") + field("") + field("") + field("")
	if _, err := ship.Decode(zipped(t, []byte(whole))); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"nothing":                           "",
		"no records":                        head,
		"a record without its last field":   whole[:len(whole)-1],
		"bytes after the last record":       whole + field("{}"),
		"a length beyond the end":           head + "\xff\xff\xff\xff\x0f{}",
		"a length varint that does not end": strings.Repeat("\xff", 20),
		"another format":                    field(`{"form":1,"program":"x","first":1,"count":0,"head":{}}`),
		"an unknown member":                 field(`{"form":2,"program":"x","first":1,"count":0,"head":{},"more":1}`),
		"a negative number of records":      field(`{"form":2,"program":"x","first":1,"count":-1,"head":{}}`),
		"too many records":                  field(`{"form":2,"program":"x","first":1,"count":1000000000,"head":{}}`),
		"a first record with the number 0":  field(`{"form":2,"program":"x","first":0,"count":1,"head":{}}`),
	} {
		if _, err := ship.Decode(zipped(t, []byte(content))); !errors.Is(err, ship.ErrForm) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ship.Decode([]byte(whole)); !errors.Is(err, ship.ErrForm) {
		t.Errorf("content that is not compressed: %v", err)
	}
}

func TestTheAddressOfAHubMustBeEncryptedOrLocal(t *testing.T) {
	for address, good := range map[string]bool{
		"https://hub.example.com":          true,
		"https://hub.example.com:8443/hub": true,
		"http://127.0.0.1:8080":            true,
		"http://localhost:8080":            true,
		"http://hub.example.com":           false,
		"http://127.0.0.1.example.com":     false,
		"hub.example.com":                  false,
		"https://user@hub.example.com":     false,
		"https://hub.example.com?x=1":      false,
		"":                                 false,
	} {
		if err := ship.CheckHub(address); (err == nil) != good {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// FuzzDecode feeds arbitrary bytes to the decoder of batches, and checks that a batch which it
// accepts stays the same when it is encoded and decoded again.
func FuzzDecode(f *testing.F) {
	whole, err := sample(f).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole, true)
	f.Add([]byte(field(`{"form":2,"program":"x","first":1,"count":1,"head":{}}`)+field("{}")+field("")+field("")+field("")), false)
	f.Add([]byte(field(`{"form":2,"head":{"seq":-1,"time":"0001-01-01T00:00:00Z"}}`)), false)
	f.Fuzz(func(t *testing.T, raw []byte, packed bool) {
		if !packed {
			raw = zipped(t, raw)
		}
		b, err := ship.Decode(raw)
		if err != nil {
			if !errors.Is(err, ship.ErrForm) {
				t.Fatalf("the error is not ErrForm: %v", err)
			}
			return
		}
		for i, r := range b.Sealed() { // what a hub does with the records must not panic
			r.Follow(b.Prev)
			_, _ = r.Examine(b.First+int64(i), nil)
		}
		again, err := b.Encode()
		if err != nil {
			t.Fatalf("a decoded batch cannot be encoded: %v", err)
		}
		c, err := ship.Decode(again)
		if err != nil {
			t.Fatalf("an encoded batch cannot be decoded: %v", err)
		}
		if len(c.Records) != len(b.Records) || c.First != b.First || c.Head.Hash != b.Head.Hash {
			t.Fatal("a batch changed when it was encoded and decoded")
		}
	})
}
