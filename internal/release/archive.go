package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// archiveName returns the name of the archive for a platform.
func (r *release) archiveName(p platform) string {
	if p.system == "windows" {
		return "mcpproxy_" + r.number() + "_" + p.String() + ".zip"
	}
	return "mcpproxy_" + r.number() + "_" + p.String() + ".tar.gz"
}

// archive writes the archive for a platform. It contains one folder with the programs, the manual, the completions,
// the licence and the README.
func (r *release) archive(p platform, programs, share []file) error {
	files := slices.Concat(programs, share)
	for _, name := range []string{"LICENSE", "README.md"} {
		raw, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return err
		}
		files = append(files, file{name, 0o644, raw})
	}
	top := "mcpproxy_" + r.number() + "_" + p.String() + "/"
	for i := range files {
		files[i].name = top + files[i].name
	}
	pack := tarball
	if p.system == "windows" {
		pack = zipped
	}
	raw, err := pack(files, r.time)
	if err != nil {
		return err
	}
	return r.write(r.archiveName(p), raw)
}

// tarball returns a gzipped tar archive of files, sorted by name and owned by root. The archive also contains entries
// for the folders, which packages need.
func tarball(files []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b) // the gzip header contains no name and no time
	t := tar.NewWriter(z)
	for _, f := range withFolders(files) {
		header := &tar.Header{
			Name:    f.name,
			Mode:    int64(f.mode.Perm()),
			Size:    int64(len(f.data)),
			ModTime: at,
			Format:  tar.FormatUSTAR,
			Uname:   "root",
			Gname:   "root",
		}
		if f.mode.IsDir() {
			header.Typeflag = tar.TypeDir
		}
		if err := t.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := t.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	err := z.Close()
	return b.Bytes(), err
}

// withFolders sorts files by name and inserts an entry for each folder before its first file.
func withFolders(files []file) []file {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	made := map[string]bool{".": true, "./": true}
	var out []file
	var folder func(string)
	folder = func(dir string) {
		if made[dir] {
			return
		}
		made[dir] = true
		folder(path.Dir(dir))
		out = append(out, file{name: dir + "/", mode: fs.ModeDir | 0o755})
	}
	for _, f := range files {
		folder(path.Dir(f.name))
		out = append(out, f)
	}
	return out
}

// unpack unpacks a tar archive that git has made into a folder.
func unpack(archive io.Reader, into string) error {
	root, err := os.OpenRoot(into)
	if err != nil {
		return err
	}
	defer root.Close()
	for t := tar.NewReader(archive); ; {
		header, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch header.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(header.Name, 0o755)
		case tar.TypeReg:
			var raw []byte
			if raw, err = io.ReadAll(t); err == nil {
				err = root.WriteFile(header.Name, raw, header.FileInfo().Mode().Perm())
			}
		}
		if err != nil {
			return err
		}
	}
}

// zipped returns a zip archive of files.
func zipped(files []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range withFolders(files) {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		header.SetMode(f.mode)
		w, err := z.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}

// compressed returns a file compressed with gzip at the best level.
func compressed(raw []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(raw); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}

// sumsName is the file of checksums.
const sumsName = "SHA256SUMS"

// digests returns the SHA-256 of every result, by its name.
func (r *release) digests() (map[string]string, error) {
	entries, err := os.ReadDir(r.dist)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, e := range entries {
		raw, err := os.ReadFile(filepath.Join(r.dist, e.Name()))
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(raw)
		out[e.Name()] = hex.EncodeToString(sum[:])
	}
	return out, nil
}

// sums writes the checksums of all results, in the format of sha256sum(1).
func (r *release) sums() error {
	all, err := r.digests()
	if err != nil {
		return err
	}
	var lines []string
	for name, sum := range all {
		lines = append(lines, fmt.Sprintf("%s  %s\n", sum, name))
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[66:], b[66:]) })
	return r.write(sumsName, []byte(strings.Join(lines, "")))
}
