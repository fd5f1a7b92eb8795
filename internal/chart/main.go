package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/cli"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

// packaging is the path of the folder with the checked files, relative to the root of the repository.
const packaging = "packaging"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "chart:", err)
		os.Exit(1)
	}
}

func run() error {
	root := filepath.Join("..", "..")
	folder := filepath.Join(root, packaging, "helm", "mcpproxy")
	if err := linted(folder); err != nil {
		return err
	}
	manifests, err := rendered(folder)
	if err != nil {
		return err
	}
	for _, m := range manifests {
		if err := known(m); err != nil {
			return err
		}
	}
	if err := composed(filepath.Join(root, packaging, "gateways", "compose.yaml")); err != nil {
		return err
	}
	sum, err := digest(root)
	if err != nil {
		return err
	}
	out := "# Made by `make chart`. Do not edit.\n# sha256 of the files that were checked: " + sum + "\n---\n" +
		strings.Join(manifests, "---\n")
	if err := os.WriteFile(filepath.Join("testdata", "rendered.yaml"), []byte(out), 0o644); err != nil {
		return err
	}
	fmt.Printf("Helm accepts the chart, Kubernetes knows all fields of its %d objects, and Compose accepts the compose file.\n",
		len(manifests))
	return nil
}

// values are chart values that make every template render everything. internal/release renders the chart with the same
// values.
func values() map[string]any {
	return map[string]any{
		"existingSecret": "gate-secrets",
		"tlsSecret":      "gate-tls",
		"image":          map[string]any{"tag": "1.2.3"},
		"storage":        map[string]any{"className": "fast"},
		"config": map[string]any{"mcpServers": map[string]any{
			"crm": map[string]any{"url": "https://crm.example/mcp"},
		}},
		"network": map[string]any{
			"clients": []any{map[string]any{"namespaceSelector": map[string]any{}}},
			"egress": []any{map[string]any{"to": []any{
				map[string]any{"ipBlock": map[string]any{"cidr": "10.1.0.0/16"}},
			}}},
		},
	}
}

// linted returns the warnings and errors of Helm's linter. It ignores findings of a lower severity, such as a missing
// icon.
func linted(folder string) error {
	var all []error
	for _, m := range lint.All(folder, values(), "agents", true).Messages {
		if m.Severity >= support.WarningSev {
			all = append(all, fmt.Errorf("helm lint: %s: %w", m.Path, m.Err))
		}
	}
	return errors.Join(all...)
}

// rendered returns the objects that Helm renders from the chart, by the names of their files.
func rendered(folder string) ([]string, error) {
	c, err := loader.Load(folder)
	if err != nil {
		return nil, err
	}
	release := chartutil.ReleaseOptions{
		Name:      "gate",
		Namespace: "agents",
		IsInstall: true,
	}
	all, err := chartutil.ToRenderValues(c, values(), release, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	files, err := engine.Engine{Strict: true}.Render(c, all)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for _, part := range strings.Split(files[name], "\n---\n") {
			out = append(out, strings.TrimSpace(part)+"\n")
		}
	}
	return out, nil
}

// known returns an error if an object has a field that Kubernetes does not know, or a value with a wrong type.
func known(manifest string) error {
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := yaml.Unmarshal([]byte(manifest), &head); err != nil {
		return err
	}
	kinds := map[string]any{
		"apps/v1 StatefulSet":                &apps.StatefulSet{},
		"v1 ConfigMap":                       &core.ConfigMap{},
		"v1 Service":                         &core.Service{},
		"networking.k8s.io/v1 NetworkPolicy": &networking.NetworkPolicy{},
		"policy/v1 PodDisruptionBudget":      &policy.PodDisruptionBudget{},
	}
	kind := head.APIVersion + " " + head.Kind
	object, ok := kinds[kind]
	if !ok {
		return fmt.Errorf("the chart renders a %s, whose fields this check does not know", kind)
	}
	if err := yaml.UnmarshalStrict([]byte(manifest), object); err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	return nil
}

// composed returns an error if Compose does not accept the file, or if a service refers to something that does not
// exist.
func composed(file string) error {
	env := []string{"MCPPROXY_VERSION=1.2.3"}
	for _, name := range []string{"MCPPROXY_API_KEY", "STATE_KEY", "POSTGRES_PASSWORD", "VALKEY_PASSWORD"} {
		env = append(env, name+"=secret")
	}
	o, err := cli.NewProjectOptions([]string{file}, cli.WithEnv(env))
	if err != nil {
		return err
	}
	p, err := o.LoadProject(context.Background())
	if err != nil {
		return fmt.Errorf("docker compose: %w", err)
	}
	if len(p.Services) == 0 {
		return errors.New("docker compose: the file has no services")
	}
	return nil
}

// digest returns the digest of the names and contents of the checked files. internal/release computes the same digest.
func digest(root string) (string, error) {
	var all bytes.Buffer
	for _, place := range []string{"helm", filepath.Join("gateways", "compose.yaml")} {
		start := filepath.Join(root, packaging, place)
		err := filepath.WalkDir(start, func(path string, entry fs.DirEntry, err error) error {
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
			return "", err
		}
	}
	sum := sha256.Sum256(all.Bytes())
	return hex.EncodeToString(sum[:]), nil
}
