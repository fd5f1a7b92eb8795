package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"

	"mcpproxy/internal/config"
)

// load checks that config.Load accepts a configuration, and returns it.
func load(t *testing.T, raw []byte) *config.Config {
	t.Helper()
	file := filepath.Join(t.TempDir(), "mcp_config.json")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(t.Context(), file)
	if err != nil {
		t.Fatalf("the configuration is refused: %v\n%s", err, raw)
	}
	return c
}

// loads does the same for the configuration of a gateway with a shared log and shared state.
func loads(t *testing.T, raw []byte) *config.Config {
	t.Helper()
	c := load(t, raw)
	if !c.RequireMCPAuth || c.APIKey == "" || !c.State.Shared() || c.State.OnOutage != "deny" || c.LogDatabase() == "" {
		t.Errorf("these are not gateways that demand a key and share log and state:\n%s", raw)
	}
	return c
}

func packaged(t *testing.T, path ...string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(append([]string{root, "packaging"}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// secretNames are the environment variables in the compose file that contain secrets.
var secretNames = []string{"MCPPROXY_API_KEY", "STATE_KEY", "POSTGRES_PASSWORD", "VALKEY_PASSWORD"}

func TestTheGatewaysOfTheComposeFileShareLogAndState(t *testing.T) {
	var file struct {
		Services map[string]struct {
			Image, User, Hostname string
			ReadOnly              bool     `yaml:"read_only"`
			CapDrop               []string `yaml:"cap_drop"`
			SecurityOpt           []string `yaml:"security_opt"`
			Ports, Volumes        []string
			Environment           map[string]string
		}
	}
	if err := yaml.Unmarshal(packaged(t, "gateways", "compose.yaml"), &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Services) != 6 {
		t.Errorf("%d services, want 6", len(file.Services))
	}
	pinned := regexp.MustCompile(`:\d+\.\d+(\.\d+)?(-[a-z]+)?$|^mcpproxy:\$\{MCPPROXY_VERSION:\?`)
	data := map[string]bool{}
	for name, s := range file.Services {
		if !pinned.MatchString(s.Image) {
			t.Errorf("%s: the image %s has no fixed version", name, s.Image)
		}
		if s.User == "" || strings.HasPrefix(s.User, "0") || !s.ReadOnly ||
			strings.Join(s.CapDrop, " ") != "ALL" || strings.Join(s.SecurityOpt, " ") != "no-new-privileges:true" {
			t.Errorf("%s has more rights than it needs: %+v", name, s)
		}
		for _, port := range s.Ports {
			if name != "balancer" || !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s opens the port %s", name, port)
			}
		}
		for key, value := range s.Environment {
			if strings.Contains(key, "PASSWORD") && !strings.HasPrefix(value, "${"+key+":?") {
				t.Errorf("%s: %s is %q, which does not demand a value", name, key, value)
			}
		}
		if !strings.HasPrefix(name, "gateway-") {
			continue
		}
		for _, key := range secretNames {
			if !strings.HasPrefix(s.Environment[key], "${"+key+":?") {
				t.Errorf("%s: %s is %q, which does not demand a value", name, key, s.Environment[key])
			}
			t.Setenv(key, strings.Repeat("5e", 32))
		}
		t.Setenv("ADVERTISE", s.Environment["ADVERTISE"])
		c := loads(t, packaged(t, "gateways", "mcp_config.json"))
		if want := "http://" + name + ":8080"; c.State.Advertise != want || s.Hostname != name {
			t.Errorf("%s advertises %s as host %s", name, c.State.Advertise, s.Hostname)
		}
		for _, v := range s.Volumes {
			if volume, at, _ := strings.Cut(v, ":"); at == c.DataDir {
				data[volume] = true
			}
		}
	}
	hub := load(t, packaged(t, "gateways", "hub.json"))
	if hub.LogDatabase() == "" || !strings.Contains(hub.LogDatabase(), "/hub?") || hub.APIKey == "" || hub.State.Shared() {
		t.Error("the hub does not keep the records of laptops in a database of its own")
	}
	if !bytes.Contains(packaged(t, "gateways", "databases.sql"), []byte("CREATE DATABASE hub OWNER mcpproxy;")) {
		t.Error("nobody makes the database of the hub")
	}
	if len(data) != 2 {
		t.Errorf("the gateways keep their data in %v, want a volume for each", data)
	}
	if !bytes.Contains(packaged(t, "gateways", "compose.yaml"), []byte(`appendfsync always\n`)) {
		t.Error("valkey does not write each change to the disk")
	}
}

func TestSecretsAreRandomAndMadeOnce(t *testing.T) {
	need(t, "sh")
	dir := t.TempDir()
	script := filepath.Join(dir, "secrets.sh")
	if err := os.WriteFile(script, packaged(t, "gateways", "secrets.sh"), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, dir, "sh", script)
	raw, err := os.ReadFile(filepath.Join(dir, ".env"))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^[A-Z_]+=([0-9a-f]{64})$`).FindAllStringSubmatch(string(raw), -1) {
		values[m[1]] = true
	}
	if len(values) != len(secretNames) {
		t.Errorf("%d different secrets, want %d", len(values), len(secretNames))
	}
	for _, name := range secretNames {
		if !strings.Contains(string(raw), name+"=") {
			t.Errorf("%s is missing", name)
		}
	}
	info, err := os.Stat(filepath.Join(dir, ".env"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode of .env is %v, %v", info.Mode(), err)
	}
	if exec.Command("sh", script).Run() == nil {
		t.Error("secrets that exist are made again")
	}
}

// chart renders the templates of the Helm chart with the functions that they use. It returns the objects by kind and
// name.
func chart(t *testing.T, values map[string]any) map[string]map[string]any {
	t.Helper()
	toJSON := func(v any) (string, error) {
		raw, err := json.Marshal(v)
		return string(raw), err
	}
	functions := template.FuncMap{
		"toJson": toJSON,
		"quote":  toJSON,
		"sha256sum": func(s string) string {
			sum := sha256.Sum256([]byte(s))
			return hex.EncodeToString(sum[:])
		},
	}
	files, err := filepath.Glob(filepath.Join(root, "packaging", "helm", "mcpproxy", "templates", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no templates: %v", err)
	}
	made := map[string]map[string]any{}
	for _, file := range files {
		tmpl, err := template.New(filepath.Base(file)).Funcs(functions).Option("missingkey=error").ParseFiles(file)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		release := map[string]string{"Name": "gate", "Namespace": "agents"}
		if err := tmpl.Execute(&out, map[string]any{"Values": values, "Release": release}); err != nil {
			t.Fatal(err)
		}
		add(t, made, &out)
	}
	return made
}

// add adds the objects of YAML documents by kind and name.
func add(t *testing.T, to map[string]map[string]any, documents io.Reader) {
	t.Helper()
	for dec := yaml.NewDecoder(documents); ; {
		var object map[string]any
		if err := dec.Decode(&object); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		if object != nil {
			to[object["kind"].(string)+" "+at(object, "metadata", "name").(string)] = object
		}
	}
}

// at returns the value at a path of keys and indexes, or nil if there is none.
func at(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[step]
		case int:
			list, _ := v.([]any)
			if step >= len(list) {
				return nil
			}
			v = list[step]
		}
	}
	return v
}

// chartValues returns the values of the chart, including those that it requires.
func chartValues(t *testing.T) map[string]any {
	t.Helper()
	var values map[string]any
	if err := yaml.Unmarshal(packaged(t, "helm", "mcpproxy", "values.yaml"), &values); err != nil {
		t.Fatal(err)
	}
	values["existingSecret"] = "gate-secrets"
	values["tlsSecret"] = "gate-tls"
	values["image"].(map[string]any)["tag"] = "1.2.3"
	return values
}

func TestTheChartRendersGatewaysWithoutRights(t *testing.T) {
	values := chartValues(t)
	values["config"] = map[string]any{"mcpServers": map[string]any{"crm": map[string]any{"url": "https://crm.example/mcp"}}}
	values["network"].(map[string]any)["egress"] = []any{map[string]any{"to": []any{
		map[string]any{"ipBlock": map[string]any{"cidr": "10.1.0.0/16"}},
	}}}
	made := chart(t, values)
	for _, want := range []string{"ConfigMap gate", "Service gate", "Service gate-replicas", "StatefulSet gate",
		"PodDisruptionBudget gate", "NetworkPolicy gate"} {
		if made[want] == nil {
			t.Errorf("%s is missing", want)
		}
	}
	pod := at(made["StatefulSet gate"], "spec", "template", "spec")
	box := at(pod, "containers", 0)
	for _, c := range []struct {
		got, want any
	}{
		{at(pod, "securityContext", "runAsNonRoot"), true},
		{at(pod, "securityContext", "seccompProfile", "type"), "RuntimeDefault"},
		{at(pod, "automountServiceAccountToken"), false},
		{at(box, "securityContext", "readOnlyRootFilesystem"), true},
		{at(box, "securityContext", "allowPrivilegeEscalation"), false},
		{at(box, "securityContext", "capabilities", "drop", 0), "ALL"},
		{at(box, "readinessProbe", "httpGet", "path"), "/readyz"},
		{at(box, "livenessProbe", "httpGet", "path"), "/healthz"},
		{at(box, "image"), "mcpproxy:1.2.3"},
		{at(box, "envFrom", 0, "secretRef", "name"), "gate-secrets"},
		{at(made["NetworkPolicy gate"], "spec", "egress", 2, "to", 0, "ipBlock", "cidr"), "10.1.0.0/16"},
		{at(made["StatefulSet gate"], "spec", "volumeClaimTemplates", 0, "metadata", "name"), "data"},
	} {
		if c.got != c.want {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
	for key, value := range map[string]string{
		"MCPPROXY_API_KEY": strings.Repeat("5e", 32),
		"STATE_KEY":        strings.Repeat("5e", 32),
		"ACTIVITY_URL":     "postgres://u:p@db.example/activity?sslmode=verify-full",
		"STATE_URL":        "valkeys://u:p@store.example:6379/0",
		"POD_NAME":         "gate-0",
	} {
		t.Setenv(key, value)
	}
	c := loads(t, []byte(at(made["ConfigMap gate"], "data", "mcp_config.json").(string)))
	if c.State.Advertise != "https://gate-0.gate-replicas.agents.svc:8443" || len(c.Servers) != 1 || c.TLS.Cert == "" {
		t.Errorf("a gateway has %d servers and advertises %s", len(c.Servers), c.State.Advertise)
	}
}

// checked is the output of internal/chart: the objects that Helm has rendered, after a digest of the files.
func checked(t *testing.T) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "internal", "chart", "testdata", "rendered.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Helm and Compose take minutes to compile, so only `make chart` runs them. This test checks that they were run on the
// current files.
func TestHelmAndComposeHaveCheckedTheFilesAsTheyAre(t *testing.T) {
	var all bytes.Buffer
	for _, place := range []string{"helm", filepath.Join("gateways", "compose.yaml")} {
		err := filepath.WalkDir(filepath.Join(root, "packaging", place), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			fmt.Fprintf(&all, "%s %d\n%s", filepath.ToSlash(name), len(raw), raw)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	sum := sha256.Sum256(all.Bytes())
	if !bytes.Contains(checked(t), []byte("were checked: "+hex.EncodeToString(sum[:])+"\n")) {
		t.Error("the chart or the compose file has changed since Helm and Compose checked it: run make chart")
	}
}

// The other tests render the chart with only a part of Helm's functions.
func TestTheChartRendersAsHelmRendersIt(t *testing.T) {
	values := chartValues(t)
	values["storage"].(map[string]any)["className"] = "fast"
	values["config"] = map[string]any{"mcpServers": map[string]any{"crm": map[string]any{"url": "https://crm.example/mcp"}}}
	values["network"] = map[string]any{
		"clients": []any{map[string]any{"namespaceSelector": map[string]any{}}},
		"egress": []any{map[string]any{"to": []any{
			map[string]any{"ipBlock": map[string]any{"cidr": "10.1.0.0/16"}},
		}}},
	}
	want := map[string]map[string]any{}
	add(t, want, bytes.NewReader(checked(t)))
	if diff := cmp.Diff(want, chart(t, values)); diff != "" {
		t.Errorf("- Helm + this test:\n%s", diff)
	}
}

func TestTheChartRefusesValuesThatAreNotSafe(t *testing.T) {
	var schema jsonschema.Schema
	if err := json.Unmarshal(packaged(t, "helm", "mcpproxy", "values.schema.json"), &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(map[string]any)
		holds  bool
	}{
		"what it needs":          {func(map[string]any) {}, true},
		"no Secret":              {func(v map[string]any) { v["existingSecret"] = "" }, false},
		"no certificate":         {func(v map[string]any) { v["tlsSecret"] = "" }, false},
		"an image without a tag": {func(v map[string]any) { v["image"].(map[string]any)["tag"] = "" }, false},
		"the latest image":       {func(v map[string]any) { v["image"].(map[string]any)["tag"] = "latest" }, false},
		"a password in plain":    {func(v map[string]any) { v["password"] = "x" }, false},
		"a key in the config":    {func(v map[string]any) { v["config"] = map[string]any{"api_key": "x"} }, false},
		"no key of callers": {
			func(v map[string]any) { v["config"] = map[string]any{"require_mcp_auth": false} }, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			values := chartValues(t)
			c.change(values)
			if err := resolved.Validate(values); (err == nil) != c.holds {
				t.Errorf("the schema says: %v", err)
			}
		})
	}
}
