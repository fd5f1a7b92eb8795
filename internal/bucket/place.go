package bucket

import (
	"errors"
	"net/url"
	"path"

	"mcpproxy"
)

// Place says where a program writes objects: a bucket, and a prefix for the names of the objects.
type Place struct {
	Address  string // s3://BUCKET/PREFIX
	Endpoint string // address of the store; "" means AWS
	Region   string // "" means DefaultRegion
}

// Check returns an error unless the address names a bucket whose store uses https, or http on this machine.
func (p Place) Check() error {
	if _, err := Parse(p.Address); err != nil {
		return err
	}
	if p.Endpoint == "" {
		return nil
	}
	u, err := url.Parse(p.Endpoint)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("the address of the store must look like https://minio.example.com")
	case u.Scheme == "https", u.Scheme == "http" && mcpproxy.LoopbackHost(u.Hostname()):
		return nil
	}
	return errors.New("the address of the store must begin with https://")
}

// Object returns the object with the given name below the prefix.
func (p Place) Object(name string) (Object, error) {
	o, err := Parse(p.Address)
	if err != nil {
		return o, err
	}
	return Object{
		Bucket:   o.Bucket,
		Key:      path.Join(o.Key, name),
		Region:   p.Region,
		Endpoint: p.Endpoint,
	}, nil
}
