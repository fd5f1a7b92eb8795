package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// check returns an error for each broken link of a site, and for each resource that a page loads from another host.
func check(site map[string][]byte) (faults []error) {
	ids := map[string]map[string]bool{}
	links := map[string][]link{}
	for _, name := range slices.Sorted(maps.Keys(site)) {
		if path.Ext(name) != ".html" {
			continue
		}
		root, err := html.Parse(bytes.NewReader(site[name]))
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
			continue
		}
		ids[name] = map[string]bool{}
		for n := range root.Descendants() {
			for _, a := range n.Attr {
				switch a.Key {
				case "id":
					if ids[name][a.Val] {
						faults = append(faults, fmt.Errorf("%s has the anchor %s twice", name, a.Val))
					}
					ids[name][a.Val] = true
				case "href", "src":
					links[name] = append(links[name], link{a.Val, n.Data != "a"})
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(links)) {
		for _, l := range links[name] {
			if err := l.fault(name, site, ids); err != nil {
				faults = append(faults, fmt.Errorf("%s: %w", name, err))
			}
		}
	}
	return faults
}

// link is a link of a page.
type link struct {
	to    string
	loads bool // the browser loads it with the page
}

// fault returns the error in a link of a page, or nil.
func (l link) fault(from string, site map[string][]byte, ids map[string]map[string]bool) error {
	u, err := url.Parse(l.to)
	switch {
	case err != nil:
		return fmt.Errorf("%q is not an address: %w", l.to, err)
	case u.Scheme != "" || u.Host != "":
		if l.loads {
			return fmt.Errorf("%s would be loaded from another host", l.to)
		}
		if u.Scheme != "https" {
			return fmt.Errorf("%s is not an https address", l.to)
		}
		return nil
	}
	if u.Path == "" && u.Fragment == "" {
		return errors.New("a link has no address, or one that is not allowed")
	}
	target := from
	if u.Path != "" {
		target = path.Join(path.Dir(from), u.Path)
	}
	if _, ok := site[target]; !ok || strings.HasPrefix(target, "../") {
		return fmt.Errorf("%s leads to %s, which the site does not have", l.to, target)
	}
	if u.Fragment != "" && !ids[target][u.Fragment] {
		return fmt.Errorf("%s has no anchor %s", cmp.Or(u.Path, "the page"), u.Fragment)
	}
	return nil
}
