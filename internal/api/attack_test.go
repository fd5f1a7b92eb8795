package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"mcpproxy/internal/gateway"
)

// A wrong parameter gets status 400, with an answer that names the parameter and its allowed values. If a wrong value
// were ignored, the answer would contain records that the client did not ask for, or lack some that it did.
func TestAWrongParameterIsRefusedByNameWithWhatItTakes(t *testing.T) {
	r := newRig(t, some()...)
	const (
		log      = "/api/v1/activity"
		instant  = "RFC 3339"
		pages    = "whole number from 1 to 100"
		offsets  = "whole number from 0"
		twice    = "once"
		encoding = "encoded"
	)
	for name, c := range map[string]struct {
		path, query string
		parameter   string // which the answer must name
		takes       string // allowed values according to the answer
	}{
		"a limit of nothing":                     {log, "limit=0", "limit", pages},
		"a limit below nothing":                  {log, "limit=-1", "limit", pages},
		"a limit above the highest":              {log, "limit=101", "limit", pages},
		"a limit beyond 64 bits":                 {log, "limit=99999999999999999999", "limit", pages},
		"a limit with a fraction":                {log, "limit=1.5", "limit", pages},
		"a limit in powers of ten":               {log, "limit=1e1", "limit", pages},
		"a limit in base 16":                     {log, "limit=0x10", "limit", pages},
		"a limit that is not a number":           {log, "limit=NaN", "limit", pages},
		"a limit that has no end":                {log, "limit=Inf", "limit", pages},
		"a limit with a sign":                    {log, "limit=%2B5", "limit", pages},
		"a limit with a space":                   {log, "limit=+5", "limit", pages},
		"a limit in other digits":                {log, "limit=%D9%A5", "limit", pages},
		"a limit in full-width digits":           {log, "limit=%EF%BC%95", "limit", pages},
		"a limit with an underscore":             {log, "limit=1_0", "limit", pages},
		"a limit with a zero byte":               {log, "limit=5%00", "limit", ""},
		"two limits":                             {log, "limit=5&limit=6", "limit", twice},
		"the same limit twice":                   {log, "limit=5&limit=5", "limit", twice},
		"a limit after an empty one":             {log, "limit=&limit=100000", "limit", twice},
		"a limit behind a semicolon":             {log, "order=asc;limit=5", "", encoding},
		"a broken escape":                        {log, "server=%zz", "", encoding},
		"a broken escape in a name":              {log, "%zz=1", "", encoding},
		"bytes that are no UTF-8":                {log, "server=%ff%fe", "server", "UTF-8"},
		"a zero byte in a name of a server":      {log, "server=a%00b", "server", ""},
		"a name in capitals":                     {log, "LIMIT=5", "LIMIT", ""},
		"a name with brackets":                   {log, "limit[]=5", "limit[]", ""},
		"a name with a space":                    {log, "limit%20=5", "limit ", ""},
		"no name":                                {log, "=5", "", ""},
		"an offset below nothing":                {log, "offset=-1", "offset", offsets},
		"an offset of nothing below nothing":     {log, "offset=-0", "offset", offsets},
		"an offset beyond 64 bits":               {log, "offset=18446744073709551616", "offset", offsets},
		"an offset beyond 31 bits":               {log, "offset=4294967296", "offset", offsets},
		"an offset that is not a number":         {log, "offset=NaN", "offset", offsets},
		"a cursor that is not an id":             {log, "cursor=zzz", "cursor", "next_cursor"},
		"a cursor that is a number":              {log, "cursor=-1", "cursor", "next_cursor"},
		"a cursor with a quote":                  {log, "cursor=%27+OR+1=1--", "cursor", "next_cursor"},
		"a cursor with one letter too many":      {log, "cursor=01JTEST00000000000000000011", "cursor", "next_cursor"},
		"a cursor with letters that ids lack":    {log, "cursor=01JTESTU00000000000000000U", "cursor", "next_cursor"},
		"a cursor in base 64":                    {log, "cursor=MDFKVEVTVA==", "cursor", "next_cursor"},
		"two cursors":                            {log, "cursor=01JTEST0000000000000000001&cursor=01JTEST0000000000000000002", "cursor", twice},
		"an unknown order":                       {log, "order=random", "order", "asc, desc"},
		"an order in capitals":                   {log, "order=ASC", "order", "asc, desc"},
		"an order by a column":                   {log, "order=id+desc", "order", "asc, desc"},
		"an unknown type":                        {log, "type=tool_call,nonsense", "type", "tool_call"},
		"no type between commas":                 {log, "type=,", "type", "tool_call"},
		"a status in capitals":                   {log, "status=Blocked", "status", "blocked"},
		"two statuses":                           {log, "status=blocked,error", "status", "blocked"},
		"an unknown decision":                    {log, "decision=block", "decision", "deny"},
		"a level with a space":                   {log, "risk_level=high%20", "risk_level", "high"},
		"an unknown severity":                    {log, "severity=fatal", "severity", "critical"},
		"an unknown flow type":                   {log, "flow_type=internal%3Dexternal", "flow_type", "internal→external"},
		"yes for true":                           {log, "sensitive_data=yes", "sensitive_data", "true, false"},
		"one for true":                           {log, "sensitive_data=1", "sensitive_data", "true, false"},
		"capitals for true":                      {log, "sensitive_data=TRUE", "sensitive_data", "true, false"},
		"a day without a time":                   {log, "start_time=2026-01-01", "start_time", instant},
		"a time without a zone":                  {log, "start_time=2026-01-01T00:00:00", "start_time", instant},
		"a zone whose plus was not encoded":      {log, "start_time=2026-01-01T00:00:00+02:00", "start_time", "%2B"},
		"a zone of a hundred hours":              {log, "start_time=2026-01-01T00:00:00%2B99:00", "start_time", instant},
		"a zone of 24 hours":                     {log, "start_time=2026-01-01T00:00:00%2B24:00", "start_time", instant},
		"a zone with 60 minutes":                 {log, "start_time=2026-01-01T00:00:00%2B01:60", "start_time", instant},
		"a zone without a colon":                 {log, "start_time=2026-01-01T00:00:00%2B0200", "start_time", instant},
		"the name of a zone":                     {log, "start_time=2026-01-01T00:00:00CET", "start_time", instant},
		"an hour of one digit":                   {log, "start_time=2026-01-01T3:04:05Z", "start_time", instant},
		"a comma before the fraction":            {log, "start_time=2026-01-01T03:04:05,5Z", "start_time", instant},
		"the 30th of February":                   {log, "end_time=2026-02-30T00:00:00Z", "end_time", instant},
		"the 25th hour":                          {log, "end_time=2026-01-01T25:00:00Z", "end_time", instant},
		"seconds since 1970":                     {log, "end_time=1767225600", "end_time", instant},
		"a year of five digits":                  {log, "end_time=12026-01-01T00:00:00Z", "end_time", instant},
		"a year before the first":                {log, "end_time=-0001-01-01T00:00:00Z", "end_time", instant},
		"an end before its beginning":            {log, "start_time=2026-01-02T00:00:00Z&end_time=2026-01-01T00:00:00Z", "end_time", "start_time"},
		"the same end, with another zone":        {log, "start_time=2026-01-01T00:00:00Z&end_time=2026-01-01T00:30:00%2B01:00", "end_time", "start_time"},
		"two beginnings":                         {log, "start_time=2026-01-01T00:00:00Z&start_time=2026-01-02T00:00:00Z", "start_time", twice},
		"an export with two formats":             {log + "/export", "format=json&format=csv", "format", twice},
		"an export in an unknown format":         {log + "/export", "format=JSON", "format", "jsonl"},
		"an export with a broken escape":         {log + "/export", "server=%zz", "", encoding},
		"an export with flows, perhaps":          {log + "/export", "include_flows=1", "include_flows", "true, false"},
		"an export from an invalid cursor":       {log + "/export", "cursor=zzz", "cursor", "next_cursor"},
		"a summary with two servers":             {log + "/summary", "server=a&server=b", "server", twice},
		"a summary from an invalid cursor":       {log + "/summary", "cursor=zzz", "cursor", "next_cursor"},
		"options with a parameter":               {log + "/filter-options/server", "limit=5", "limit", ""},
		"a search with two limits":               {"/api/v1/tools", "limit=1&limit=2", "limit", twice},
		"a search with a limit above 1000":       {"/api/v1/tools", "limit=1001", "limit", "1000"},
		"a search with a fraction":               {"/api/v1/tools", "limit=1.5", "limit", "integer"},
		"a search with a limit beyond 64 bits":   {"/api/v1/tools", "limit=99999999999999999999", "limit", "integer"},
		"a search with a limit that is NaN":      {"/api/v1/tools", "limit=NaN", "limit", "integer"},
		"an unknown kind":                        {"/api/v1/servers/notes/tools", "kind=Tool", "kind", "prompt"},
		"two kinds":                              {"/api/v1/servers/notes/tools", "kind=tool&kind=all", "kind", twice},
		"suggestions since a time below now":     {"/api/v1/policies/suggestions", "since=-5d", "since", "7d"},
		"suggestions since a time that is NaN":   {"/api/v1/policies/suggestions", "since=NaNd", "since", "7d"},
		"suggestions since before all calendars": {"/api/v1/policies/suggestions", "since=99999999999999999d", "since", "7d"},
		"suggestions since an odd zone":          {"/api/v1/policies/suggestions", "since=2026-01-01T00:00:00%2B24:00", "since", "7d"},
		"suggestions since an overlong duration": {"/api/v1/policies/suggestions", "since=9999999999999h", "since", "7d"},
		"an unknown event":                       {"/events", "types=flow.alrt", "types", "flow.alert"},
		"two last events":                        {"/events", "last_event_id=1&last_event_id=2", "last_event_id", twice},
	} {
		a := r.ask(c.path+"?"+c.query, nil)
		if a.status != http.StatusBadRequest {
			t.Errorf("%s: %s?%s answers %d: %.200s", name, c.path, c.query, a.status, a.body)
			continue
		}
		if said := a.failure(t); !strings.Contains(said, c.parameter) || !strings.Contains(said, c.takes) {
			t.Errorf("%s: %s?%s does not name %q and %q: %s", name, c.path, c.query, c.parameter, c.takes, said)
		}
	}
}

// Unusual but valid values are accepted.
func TestAnUnusualButValidParameterIsAccepted(t *testing.T) {
	r := newRig(t, some()...)
	for _, query := range []string{
		"",
		"limit=",
		"limit=007",
		"limit=100&offset=2147483647",
		"cursor=",
		"cursor=01JTEST0000000000000000009", // of a record that retention has since removed
		"start_time=2026-01-01T00:00:00-00:00",
		"start_time=2026-01-01T00:00:00%2B14:00",
		"start_time=0001-01-01T00:00:00Z&end_time=9999-12-31T23:59:59.999999999Z",
		"type=tool_call,%20policy_decision,",
		"flow_type=internal-%3Eexternal",
		"server=%F0%9F%98%80",
		"server=a%26b%3Dc",
		"tool=" + strings.Repeat("x", 4000),
		"&&",
	} {
		if a := r.ask("/api/v1/activity?"+query, nil); a.status != http.StatusOK {
			t.Errorf("%s answers %d: %.200s", query, a.status, a.body)
		}
	}
}

// No documented parameter may be given twice, because one parser would use the first value and another the last.
func TestNoParameterIsTakenTwice(t *testing.T) {
	checked := 0
	operations(t, false, func(t *testing.T, r *rig, _ openAPI, method, path string, o *operation) {
		for _, p := range o.Parameters {
			if p.In != "query" || p.Name == "types" || o.Lenient {
				continue
			}
			checked++
			one := url.Values{p.Name: {fmt.Sprint(p.Example)}}.Encode()
			a := r.request(method, o.url(t, path)+"?"+one+"&"+one, o.body(t), nil)
			if a.status != http.StatusBadRequest || !strings.Contains(a.body, p.Name) {
				t.Errorf("%s twice is answered with %d: %.200s", p.Name, a.status, a.body)
			}
		}
	})
	if checked < 30 {
		t.Errorf("only %d parameters were tried", checked)
	}
}

func TestAnUnsupportedMethodIsAnsweredWithTheSupportedOnes(t *testing.T) {
	h := gateway.Trust(newRig(t).api)
	for path, allowed := range map[string]string{
		"/api/v1/activity":           "GET, HEAD",
		"/api/v1/activity/export":    "GET, HEAD",
		"/api/v1/approvals":          "GET, HEAD, POST",
		"/api/v1/kill":               "GET, HEAD, POST",
		"/api/v1/hooks/evaluate":     "POST",
		"/api/v1/tokens":             "GET, HEAD, POST",
		"/api/v1/tokens/x":           "DELETE",
		"/api/v1/servers/notes/logs": "GET, HEAD",
		"/events":                    "GET, HEAD",
		"/metrics":                   "GET, HEAD",
		"/healthz":                   "GET, HEAD",
		"/openapi.json":              "GET, HEAD",
	} {
		for _, method := range []string{"PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get", "G\u00cbT"} {
			if strings.Contains(allowed, method) {
				continue
			}
			req := httptest.NewRequest(http.MethodGet, path, nil)
			req.Method = method
			w := httptest.NewRecorder()
			h.ServeHTTP(w, req)
			if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != allowed {
				t.Errorf("%s %s is answered with %d, Allow %q", method, path, w.Code, w.Header().Get("Allow"))
			}
		}
	}
}

// A body with a wrong type or encoding gets an answer that names the position of the mistake.
func TestAWrongBodyIsRefusedByName(t *testing.T) {
	r := newRig(t)
	for name, c := range map[string]struct{ path, kind, body, says string }{
		"a number for a flag":                  {"/api/v1/kill", "application/json", `{"on": 1}`, "on"},
		"a text for a flag":                    {"/api/v1/kill", "application/json", `{"on": "true"}`, "on"},
		"nothing for a flag":                   {"/api/v1/kill", "application/json", `{"on": null}`, "on"},
		"a member in capitals":                 {"/api/v1/kill", "application/json", `{"ON": true}`, "ON"},
		"a member twice":                       {"/api/v1/kill", "application/json", `{"on": true, "on": false}`, "twice"},
		"a member twice, once escaped":         {"/api/v1/kill", "application/json", `{"on": true, "\u006fn": false}`, "twice"},
		"two values":                           {"/api/v1/kill", "application/json", `{"on": true} {"on": false}`, ""},
		"NaN":                                  {"/api/v1/code/run", "application/json", `{"code": "1", "limits": {"timeout_ms": NaN}}`, ""},
		"a number beyond all":                  {"/api/v1/code/run", "application/json", `{"code": "1", "limits": {"timeout_ms": 1e400}}`, "timeout_ms"},
		"a time below nothing":                 {"/api/v1/code/run", "application/json", `{"code": "1", "limits": {"timeout_ms": -1}}`, "timeout_ms"},
		"a fraction of a millisecond":          {"/api/v1/code/run", "application/json", `{"code": "1", "limits": {"timeout_ms": 1.5}}`, "timeout_ms"},
		"a member unknown deep inside":         {"/api/v1/code/run", "application/json", `{"code": "1", "limits": {"nonsense": 1}}`, "nonsense"},
		"an unknown decision":                  {"/api/v1/approvals", "application/json", `{"id": "01A", "decision": "Approve"}`, "decision"},
		"an unknown role":                      {"/api/v1/tokens", "application/json", `{"name": "x", "role": "root"}`, "role"},
		"a life that has ended":                {"/api/v1/tokens", "application/json", `{"name": "x", "expires": "-1h"}`, "expires"},
		"a life that is NaN":                   {"/api/v1/tokens", "application/json", `{"name": "x", "expires": "NaN"}`, "expires"},
		"a simulation of a negative limit":     {"/api/v1/policies/simulate", "application/json", `{"policy": {}, "limit": -1}`, "limit"},
		"a simulation since tomorrow":          {"/api/v1/policies/simulate", "application/json", `{"policy": {}, "since": "2026-01-01T00:00:00+24:00"}`, "since"},
		"a member of a simulation in capitals": {"/api/v1/policies/simulate", "application/json", `{"policy": {}, "Policy": {}}`, "Policy"},
		"a simulation and something behind it": {"/api/v1/policies/simulate", "application/json", `{"policy": {}} {}`, ""},
		"a simulation that ends first":         {"/api/v1/policies/simulate", "application/json", `{"policy": {}, "since": "1d", "until": "2d"}`, "until"},
		"UTF-16":                               {"/api/v1/kill", "application/json; charset=utf-16", "\xff\xfe{\x00}\x00", ""},
		"a mark of the byte order":             {"/api/v1/kill", "application/json", "\xef\xbb\xbf{\"on\": true}", ""},
		"bytes that are no UTF-8":              {"/api/v1/tokens", "application/json", "{\"name\": \"\xff\"}", ""},
		"half a surrogate":                     {"/api/v1/tokens", "application/json", `{"name": "\ud800"}`, ""},
		"a form":                               {"/api/v1/kill", "application/x-www-form-urlencoded", "on=true", ""},
		"plain text":                           {"/api/v1/kill", "text/plain", `{"on": true}`, ""},
		"XML":                                  {"/api/v1/kill", "application/xml", `<on>true</on>`, ""},
		"CBOR":                                 {"/api/v1/kill", "application/cbor", "\xa1\x62on\xf5", ""},
	} {
		a := r.request(http.MethodPost, c.path, []byte(c.body), map[string]string{"Content-Type": c.kind})
		if a.status != http.StatusBadRequest && a.status != http.StatusUnsupportedMediaType ||
			!strings.Contains(a.failure(t), c.says) {
			t.Errorf("%s: %s answers %d: %.300s", name, c.path, a.status, a.body)
		}
	}
}
