package registry

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// standIn returns a fake registry on this machine that gives the same answer to every request. No test uses the
// official registry.
func standIn(t *testing.T, answer http.HandlerFunc) *Client {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	c, err := New(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

const weather = `{"server": {"name": "io.github.acme/weather", "version": "1.0.2", "description": "x"}}`

func TestBadAnswersOfARegistryAreErrorsThatDoNotRepeatThem(t *testing.T) {
	elsewhere := httptest.NewServer(says(http.StatusOK, weather))
	defer elsewhere.Close()
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"text":          {says(http.StatusOK, "SECRET"), "something other than JSON"},
		"an end midway": {says(http.StatusOK, weather[:40]), "something other than JSON"},
		"another type":  {says(http.StatusOK, `{"server": {"name": 7, "version": "SECRET"}}`), "something other than JSON"},
		"another entry": {says(http.StatusOK, `{"server": {"name": "a/SECRET", "version": "1"}}`), "something other than io.github.acme/weather"},
		"null":          {says(http.StatusOK, `null`), "something other than io.github.acme/weather"},
		"more than it may": {
			func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte(`{"server": {"description": "` + strings.Repeat("SECRET", maxAnswer/6+1)))
			},
			"more than 4 MB",
		},
		"nothing of that name": {says(http.StatusNotFound, "SECRET"), "has no server io.github.acme/weather in the version latest"},
		"a failure":            {says(http.StatusBadGateway, "SECRET"), "answers with status 502"},
		"another address": {
			func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, http.StatusFound) },
			"it redirects to another address",
		},
		"a broken connection": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "cannot be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := standIn(t, test.answer).Get(t.Context(), "io.github.acme/weather", "")
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("error %v; want %q and nothing that the registry wrote", err, test.want)
			}
		})
	}
}

func TestARegistryThatDoesNotAnswerIsGivenUp(t *testing.T) {
	ended := make(chan struct{})
	c := standIn(t, func(_ http.ResponseWriter, r *http.Request) { <-ended })
	defer close(ended)
	c.http.Timeout = 20 * time.Millisecond
	if _, err := c.Search(t.Context(), "x", 1); err == nil || !strings.Contains(err.Error(), "has not answered within 20ms") {
		t.Errorf("error %v", err)
	}
}

func TestAMissingNetworkIsReportedWithAdvice(t *testing.T) {
	s := httptest.NewServer(says(http.StatusOK, weather))
	c, err := New(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	_, err = c.Search(t.Context(), "x", 1)
	for _, want := range []string{"cannot be reached", "whether this machine has a network", "adds a server by hand"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want %q", err, want)
		}
	}
}

func TestASearchReadsPagesUntilItHasEnough(t *testing.T) {
	for name, test := range map[string]struct {
		limit, pages, found int
		more                bool
		page                string
	}{
		"one page has enough":               {1, 1, 1, true, `{"servers": [` + weather + `], "metadata": {"nextCursor": "%"}}`},
		"two pages have":                    {2, 2, 2, true, `{"servers": [` + weather + `], "metadata": {"nextCursor": "%"}}`},
		"the last page":                     {5, 1, 1, false, `{"servers": [` + weather + `]}`},
		"an empty page ends it":             {5, 1, 0, true, `{"servers": [], "metadata": {"nextCursor": "%"}}`},
		"endless pages of nothing end":      {5, pages, 0, true, `{"servers": [{"server": {"name": "x"}}], "metadata": {"nextCursor": "%"}}`},
		"a cursor that stays the same ends": {5, 2, 2, true, `{"servers": [` + weather + `], "metadata": {"nextCursor": "c"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			c := standIn(t, func(w http.ResponseWriter, r *http.Request) {
				asked++
				if r.URL.Path != "/v0.1/servers" || r.FormValue("version") != "latest" || r.FormValue("search") != "a&b" {
					t.Errorf("asked for %s", r.URL)
				}
				_, _ = w.Write([]byte(strings.ReplaceAll(test.page, "%", strings.Repeat("c", asked))))
			})
			found, err := c.Search(t.Context(), "a&b", test.limit)
			if err != nil {
				t.Fatal(err)
			}
			if len(found.Servers) != test.found || found.More != test.more || asked != test.pages {
				t.Errorf("%d servers, more %t, after %d pages", len(found.Servers), found.More, asked)
			}
		})
	}
}

func TestAnAnswerWithoutAListIsAnError(t *testing.T) {
	if _, err := standIn(t, says(http.StatusOK, `{}`)).Search(t.Context(), "x", 1); err == nil {
		t.Error("an answer without servers passes for a list")
	}
}

func TestAnAddressOfARegistryIsHTTPSOrOfThisMachine(t *testing.T) {
	for address, holds := range map[string]bool{
		Official:                        true,
		"https://registry.example/base": true,
		"http://127.0.0.1:8080":         true,
		"http://[::1]:8080":             true,
		"http://localhost":              true,
		"http://registry.example":       false,
		"http://127.0.0.1.evil.example": false,
		"http://localhost.example":      false,
		"https://registry.example?x=1":  false,
		"ftp://registry.example":        false,
		"registry.example":              false,
		"":                              false,
	} {
		if _, err := Address(address); (err == nil) != holds {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// FuzzEntry reads arbitrary answers of a registry. It must not panic, and every plan either starts one version of one
// package or names an https address.
func FuzzEntry(f *testing.F) {
	f.Add([]byte(weather))
	for _, e := range entries {
		raw, err := json.Marshal(map[string]any{"server": e.entry})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var e Entry
		if json.Unmarshal(raw, &e) != nil || !e.valid() {
			return
		}
		e.Ways()
		plan, err := e.Plan(Choice{IsPlain: func(string) bool { return true }})
		if err != nil {
			return
		}
		switch plan.Command {
		case "":
			if !strings.HasPrefix(strings.ToLower(plan.URL), "https://") {
				t.Fatalf("the address %q", plan.URL)
			}
		case "npx", "uvx", "docker":
			for _, text := range append(plan.Args, plan.Package) {
				if strings.ContainsAny(text, "{}\x00") {
					t.Fatalf("the argument %q", text)
				}
			}
			if strings.HasPrefix(plan.Package, "-") || strings.HasSuffix(plan.Package, "latest") && plan.Way != oci {
				t.Fatalf("the package %q", plan.Package)
			}
		default:
			t.Fatalf("the program %q", plan.Command)
		}
	})
}
