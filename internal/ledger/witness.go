package ledger

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mcpproxy/internal/atomicfile"
)

// Witness is a signed note outside the data folder that says where the log ended. It reveals the
// loss of the log even if all files of the folder except the configuration were removed.
type Witness struct {
	Version int    `json:"version"`
	Folder  string `json:"folder"` // of the log
	Log     Head   `json:"log"`    // may lag behind the log
	Key     []byte `json:"key"`    // the public half of the log's key

	Signature []byte `json:"signature,omitempty"` // Ed25519
}

// witnessForm is the version of the file's form.
const witnessForm = 1

// WitnessPath returns the path of the witness for the log in a data folder. The witness is in the
// user's state folder, under a name that is computed from the data folder. The path is "" if there
// is no witness: for a user without a home folder, and for a data folder among temporary files
// unless the home folder is there too.
func WitnessPath(folder string, getenv func(string) string) string {
	state := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home := getenv("HOME")
		if info, err := os.Stat(home); err != nil || !info.IsDir() || !filepath.IsAbs(home) {
			return ""
		}
		state = filepath.Join(home, ".local", "state")
	}
	folder = realPath(folder)
	if temporary := realPath(os.TempDir()); within(folder, temporary) && !within(realPath(state), temporary) {
		return ""
	}
	sum := sha256.Sum256([]byte(folder))
	return filepath.Join(state, "mcpproxy", "logs", hex.EncodeToString(sum[:12])+".json")
}

// realPath returns an absolute path with links resolved, as far as the path exists.
func realPath(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(realPath(parent), filepath.Base(path))
	}
	return path
}

// within reports whether a path is a folder or inside it.
func within(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// ReadWitness reads the witness at path. It returns nil if there is none.
func ReadWitness(path string) (*Witness, error) {
	if path == "" {
		return nil, nil
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading what is known of an earlier activity log: %w", err)
	}
	w, err := ParseWitness(raw)
	if err != nil {
		return nil, fmt.Errorf("%s, which says where the activity log ended, cannot be used: %w", path, err)
	}
	return w, nil
}

// ParseWitness parses the bytes of a witness as ReadWitness does.
func ParseWitness(raw []byte) (*Witness, error) {
	var w Witness
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&w); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrForeignHeads, err)
	}
	if len(w.Key) != ed25519.PublicKeySize || !w.keys().valid(w.message(), w.Signature) {
		return nil, ErrForeignHeads
	}
	return &w, nil
}

func (w *Witness) keys() Keys { return Keys{ed25519.PublicKey(w.Key)} }

// message returns the bytes that are signed.
func (w Witness) message() []byte {
	w.Signature = nil
	raw, err := json.Marshal(w)
	if err != nil {
		panic(err) // cannot fail: strings, numbers and times
	}
	return append([]byte("mcpproxy ledger witness\n"), raw...)
}

// Gone returns the break of a log that has disappeared, or nil if there was no log.
func (w *Witness) Gone(file string) *Break {
	if w == nil {
		return nil
	}
	problem, _ := w.Log.Problem(Head{}, nil)
	if problem == "" {
		return nil
	}
	return NewBreak(LogReplaced, file, "%s", problem)
}

// Foreign returns the break of a log that other keys have signed, or nil if the witness's key has
// signed it.
func (w *Witness) Foreign(file string, keys Keys) *Break {
	if w == nil || w.Log.Seq == 0 {
		return nil
	}
	for _, key := range keys {
		if bytes.Equal(key, w.Key) {
			return nil
		}
	}
	return NewBreak(LogReplaced, file, "the activity log was removed or replaced, and its key with it: until %s the log "+
		"had records up to no. %d (%s), and the one that is there now is signed with another key",
		At(w.Log.Time), w.Log.Seq, w.Log.ID)
}

// SaveWitness signs and writes the witness of the log in a folder.
func (k *HeadWriter) SaveWitness(path, folder string) error {
	k.mu.Lock()
	w := Witness{
		Version: witnessForm,
		Folder:  realPath(folder),
		Log:     k.heads.Log,
		Key:     k.signer.Keys()[0],
	}
	w.Signature = k.signer.sign(w.message())
	k.mu.Unlock()
	raw, err := json.MarshalIndent(w, "", " ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = atomicfile.WriteBytes(path, 0o600, append(raw, '\n'))
	}
	if err != nil {
		return fmt.Errorf("where the activity log ends could not be written outside of its folder: %w", err)
	}
	return nil
}
