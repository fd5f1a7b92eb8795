package main

import (
	"bytes"
	"context"
	"crypto/md5"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	_ "embed"

	"mcpproxy/internal/service"
)

// summary and description describe the program in the packages.
const (
	summary     = "firewall for AI agents and their tools"
	description = "mcpproxy stands between AI agents and the tools that they call. It classifies every call, follows data from call " +
		"to call, and stops private data on its way out."
)

// installed returns the files of a Linux package, by their paths without the first slash. Manual pages are compressed,
// and completions for PowerShell are omitted.
func installed(programs, share []file) ([]file, error) {
	var out []file
	for _, f := range programs {
		out = append(out, file{"usr/bin/" + f.name, 0o755, f.data})
	}
	for _, f := range share {
		switch {
		case strings.HasSuffix(f.name, ".ps1"):
		case strings.HasPrefix(f.name, "share/man/"):
			raw, err := compressed(f.data)
			if err != nil {
				return nil, err
			}
			out = append(out, file{"usr/" + f.name + ".gz", 0o644, raw})
		default:
			out = append(out, file{"usr/" + f.name, 0o644, f.data})
		}
	}
	unit, err := service.PackagedUnit("/usr/bin/mcpproxy")
	if err != nil {
		return nil, err
	}
	return append(out, file{strings.TrimPrefix(service.PackagedFile, "/"), 0o644, []byte(unit)}), nil
}

// documents returns the documentation files of a package.
func (r *release) documents() ([]file, error) {
	license, err := os.ReadFile(filepath.Join(r.root, "LICENSE"))
	if err != nil {
		return nil, err
	}
	readme, err := os.ReadFile(filepath.Join(r.root, "README.md"))
	if err != nil {
		return nil, err
	}
	return []file{
		{"usr/share/doc/mcpproxy/README.md", 0o644, readme},
		{"usr/share/doc/mcpproxy/copyright", 0o644, license},
	}, nil
}

// deb writes the Debian package for a platform (deb(5)): an ar archive of two tar archives, one with the package's
// metadata and one with its files.
func (r *release) deb(p platform, files []file) error {
	documents, err := r.documents()
	if err != nil {
		return err
	}
	files = slices.Concat(files, documents)
	size := 0
	var sums strings.Builder
	for _, f := range withFolders(files) {
		if f.mode.IsDir() {
			size++ // in KiB; deb-substvars(5) counts 1 for each folder
			continue
		}
		size += (len(f.data) + 1023) / 1024
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.data), f.name)
	}
	control := fmt.Sprintf(`Package: mcpproxy
Version: %s
Architecture: %s
Maintainer: %s
Installed-Size: %d
Section: utils
Priority: optional
Description: %s
 %s
`, r.packaged(), p.machine, r.maintainer, size, summary, description)
	about, err := tarball([]file{
		{"./control", 0o644, []byte(control)},
		{"./md5sums", 0o644, []byte(sums.String())},
	}, r.time)
	if err != nil {
		return err
	}
	for i := range files {
		files[i].name = "./" + files[i].name
	}
	data, err := tarball(files, r.time)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString("!<arch>\n")
	for _, member := range []file{
		{"debian-binary", 0o644, []byte("2.0\n")},
		{"control.tar.gz", 0o644, about},
		{"data.tar.gz", 0o644, data},
	} {
		fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", member.name, r.time.Unix(), 0, 0, "100644", len(member.data))
		b.Write(member.data)
		if len(member.data)%2 == 1 {
			b.WriteByte('\n')
		}
	}
	return r.write(r.debName(p), b.Bytes())
}

// debName returns the file name of a Debian package.
func (r *release) debName(p platform) string {
	return "mcpproxy_" + r.packaged() + "_" + p.machine + ".deb"
}

//go:embed spec.tmpl
var specText string

// spec is the template of the spec file for rpmbuild(8).
var spec = template.Must(template.New("spec").Parse(specText))

// rpmMachine maps architectures to their names in RPM packages.
var rpmMachine = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}

// rpm makes the RPM package for a platform with rpmbuild. If rpmbuild is not installed, it prints that and makes no
// package.
func (r *release) rpm(ctx context.Context, p platform, files []file, work string) error {
	if _, err := exec.LookPath("rpmbuild"); err != nil {
		fmt.Println("NO RPM FOR", p, "IS MADE: rpmbuild is not installed")
		return nil
	}
	documents, err := r.documents()
	if err != nil {
		return err
	}
	top := filepath.Join(work, "rpm-"+p.machine)
	root := filepath.Join(top, "files")
	var paths []string
	for _, f := range slices.Concat(files, documents) {
		path := filepath.Join(root, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.data, f.mode); err != nil {
			return err
		}
		paths = append(paths, fmt.Sprintf("%%attr(%04o, root, root) /%s", f.mode.Perm(), f.name))
	}
	slices.Sort(paths)
	var text strings.Builder
	err = spec.Execute(&text, map[string]any{
		"Version":     r.packaged(),
		"Maintainer":  r.maintainer,
		"Summary":     strings.ToUpper(summary[:1]) + summary[1:],
		"Description": description,
		"Root":        root,
		"Files":       paths,
	})
	if err != nil {
		return err
	}
	file := filepath.Join(top, "mcpproxy.spec")
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		return err
	}
	epoch := fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.time.Unix())
	_, err = command(ctx, top, []string{epoch, "HOME=" + top}, "rpmbuild", "-bb", "--quiet",
		"--target", rpmMachine[p.machine]+"-linux",
		"--define", "_topdir "+top,
		"--define", "_rpmdir "+top,
		"--define", "_rpmfilename package.rpm",
		file)
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(filepath.Join(top, "package.rpm"))
	if err != nil {
		return err
	}
	return r.write(r.rpmName(p), raw)
}

// rpmName returns the file name of an RPM package.
func (r *release) rpmName(p platform) string {
	return "mcpproxy-" + r.packaged() + "-1." + rpmMachine[p.machine] + ".rpm"
}
