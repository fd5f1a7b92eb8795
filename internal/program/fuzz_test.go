package program

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// FuzzPackage reads arbitrary package descriptions. A package has either a hash or a reason why it has none, and the
// same content has the same hash.
func FuzzPackage(f *testing.F) {
	f.Add(`{"name": "weather", "version": "1.0.0"}`, "weather.py,sha256=x,1\n", "[console_scripts]\nweather = weather:main\n")
	f.Add(`{"bundleDependencies": true}`, "../../bin/x,,\n/etc/passwd,,\nweather/../weather.py,,\n", "[console_scripts]\nweather\n")
	f.Add(`[`, "\"", "[")
	f.Add(`{"name": 1}`, "weather-1.0.dist-info/METADATA,,\n\n", "")
	f.Fuzz(func(t *testing.T, manifest, record, entries string) {
		dir := put(t, t.TempDir(), map[string]string{
			"node_modules/weather/package.json":       manifest,
			"node_modules/weather/index.js":           "x",
			"pyvenv.cfg":                              "",
			"bin/weather":                             "x",
			"lib/python3.12/site-packages/weather.py": "x",
			"lib/python3.12/site-packages/weather-1.0.dist-info/RECORD":           record,
			"lib/python3.12/site-packages/weather-1.0.dist-info/entry_points.txt": entries,
		})
		r := Reader{Limits: Limits{Bytes: 1 << 20, Files: 100, Time: 5 * time.Second}}
		for _, c := range []Command{
			{
				Name: "node",
				Path: "/usr/bin/node",
				Args: []string{"node_modules/weather/index.js"},
				Dir:  dir,
			},
			{Name: "weather", Path: filepath.Join(dir, "bin", "weather")},
		} {
			p := r.Read(t.Context(), Open(c))
			if (p.SHA256 == "") == (p.Unknown == "") {
				t.Fatalf("%+v", p)
			}
			if again := r.Read(t.Context(), Open(c)); again != p {
				t.Fatalf("%+v, and then %+v", p, again)
			}
		}
	})
}

// FuzzCommandLine reads arbitrary command lines. The length of the subject is limited.
func FuzzCommandLine(f *testing.F) {
	for _, line := range []string{
		"node -r x y.js", "npx -y @a/b@1.2.3", "uvx --from a[b]==1 c", "python -Wx -um a.b", "uv --directory=x run y.py",
		"java -cp x -jar y", "-", "deno run npm:@a/b/c", "npx https://a:b@c/d",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words := strings.Split(line, " ")
		s := Open(Command{
			Name: words[0],
			Path: "/nowhere/" + words[0],
			Args: words[1:],
			Dir:  t.TempDir(),
		})
		defer s.Close()
		if len(s.subject) > maxSubject || words[0] != "" && s.subject == "" {
			t.Fatalf("%q has the subject %q", line, s.subject)
		}
		if s.file != nil {
			t.Fatalf("%q opened %s", line, s.tree)
		}
	})
}
