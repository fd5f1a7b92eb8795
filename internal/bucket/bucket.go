// Package bucket builds requests for objects in S3-compatible buckets: it parses s3:// addresses and signs requests
// with AWS Signature Version 4.
//
// The clients of AWS and MinIO would add ten modules or more; mcpproxy only needs requests that read or write one
// object.
package bucket

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

// Credentials identify a user of a store. If the ID is empty, requests are not signed; public buckets allow that.
type Credentials struct {
	ID, Secret string
	Session    string // token of temporary credentials; "" for permanent ones
}

// FromEnvironment returns the credentials in the environment variables that other S3 clients also read.
func FromEnvironment() Credentials {
	return Credentials{
		ID:      os.Getenv("AWS_ACCESS_KEY_ID"),
		Secret:  os.Getenv("AWS_SECRET_ACCESS_KEY"),
		Session: os.Getenv("AWS_SESSION_TOKEN"),
	}
}

// DefaultRegion is the region of an object whose region is not set.
const DefaultRegion = "us-east-1"

// Object is an object in a bucket.
type Object struct {
	Bucket, Key string
	Region      string // "" means DefaultRegion
	Endpoint    string // address of the store; "" means AWS
}

// Parse reads an address of the form s3://BUCKET/KEY.
func Parse(address string) (o Object, err error) {
	bad := errors.New("the address of an object in a bucket must look like s3://bucket/path/to/object")
	rest, found := strings.CutPrefix(address, "s3://")
	o.Bucket, o.Key, _ = strings.Cut(rest, "/")
	named := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '-'
	}
	switch {
	case !found, o.Bucket == "", strings.ContainsFunc(o.Bucket, func(c rune) bool { return !named(c) }):
		return o, bad
	case strings.Contains("/"+o.Key+"/", "/../"), strings.Contains("/"+o.Key+"/", "/./"):
		return o, bad // some servers would resolve the ".."
	}
	return o, nil
}

// URL returns the address of the object.
func (o Object) URL() (*url.URL, error) {
	path := "/" + o.Key
	u := &url.URL{Scheme: "https", Host: o.Bucket + ".s3." + cmp.Or(o.Region, DefaultRegion) + ".amazonaws.com"}
	if o.Endpoint != "" {
		var err error
		if u, err = url.Parse(o.Endpoint); err != nil || u.Host == "" {
			return nil, errors.New("the address of the store must look like https://minio.example.com")
		}
		path = strings.TrimSuffix(u.Path, "/") + "/" + o.Bucket + path
		u = &url.URL{Scheme: u.Scheme, Host: u.Host}
	}
	u.Path, u.RawPath = path, escaped(path)
	return u, nil
}

// escaped returns the path in the encoding that signatures require: every byte except letters, digits and -._~/
// becomes %XX.
func escaped(path string) string {
	var out strings.Builder
	for i := range len(path) {
		c := path[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~/", c) >= 0 {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}

// unsigned are the headers that are not signed, because a proxy may change them.
var unsigned = []string{"Authorization", "User-Agent", "If-None-Match", "Accept-Encoding"}

// Sign signs a request that has this body. The request's URL must have no query.
func (c Credentials) Sign(r *http.Request, region string, body []byte, now time.Time) {
	if c.ID == "" {
		return
	}
	region = cmp.Or(region, DefaultRegion)
	sum := sha256.Sum256(body)
	digest := hex.EncodeToString(sum[:])
	stamp := now.UTC().Format("20060102T150405Z")
	r.Header.Set("X-Amz-Content-Sha256", digest)
	r.Header.Set("X-Amz-Date", stamp)
	if c.Session != "" {
		r.Header.Set("X-Amz-Security-Token", c.Session)
	}
	lines := map[string]string{"host": cmp.Or(r.Host, r.URL.Host)}
	for name, values := range r.Header {
		if !slices.Contains(unsigned, name) {
			lines[strings.ToLower(name)] = strings.TrimSpace(strings.Join(values, ","))
		}
	}
	names := slices.Sorted(maps.Keys(lines))
	signed := strings.Join(names, ";")
	var canonical strings.Builder
	fmt.Fprintf(&canonical, "%s\n%s\n\n", r.Method, r.URL.EscapedPath())
	for _, name := range names {
		fmt.Fprintf(&canonical, "%s:%s\n", name, lines[name])
	}
	fmt.Fprintf(&canonical, "\n%s\n%s", signed, digest)
	request := sha256.Sum256([]byte(canonical.String()))
	scope := stamp[:8] + "/" + region + "/s3/aws4_request"
	key := []byte("AWS4" + c.Secret)
	for _, part := range strings.Split(scope, "/") {
		key = keyed(key, part)
	}
	signature := keyed(key, "AWS4-HMAC-SHA256\n"+stamp+"\n"+scope+"\n"+hex.EncodeToString(request[:]))
	r.Header.Set("Authorization", fmt.Sprintf("AWS4-HMAC-SHA256 Credential=%s/%s,SignedHeaders=%s,Signature=%x",
		c.ID, scope, signed, signature))
}

func keyed(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
