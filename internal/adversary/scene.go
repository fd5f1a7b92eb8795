package adversary

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
)

//go:embed scenes/*.yaml
var sceneFiles embed.FS

// sceneFile is an attack in a file of scenes.
type sceneFile struct {
	Name     string   `yaml:"name"`
	Summary  string   `yaml:"summary"`
	Category string   `yaml:"category"`
	Expected []Notice `yaml:"expected"`
	Peer     *actFile `yaml:"peer"`
	Harm     actFile  `yaml:"harm"`
	Benign   actFile  `yaml:"benign"`
}

type actFile struct {
	Name         string     `yaml:"name"` // the name of the peer
	Side         string     `yaml:"side"`
	Instructions string     `yaml:"instructions"`
	Tools        []itemFile `yaml:"tools"`
	Prompts      []itemFile `yaml:"prompts"`
	Resources    []itemFile `yaml:"resources"`
	Fault        Fault      `yaml:"fault"`
	Script       []stepFile `yaml:"script"`
}

// itemFile is a tool, a prompt or a resource. Text is short for a result with this text.
type itemFile struct {
	Definition ordered `yaml:"definition"`
	Answer     ordered `yaml:"answer"`
	Text       string  `yaml:"text"`
}

type stepFile struct {
	Peer        bool    `yaml:"peer"`
	Tool        string  `yaml:"tool"`
	Args        ordered `yaml:"args"`
	Intent      string  `yaml:"intent"`
	Sensitivity string  `yaml:"sensitivity"`
	Prompt      string  `yaml:"prompt"`
	Resource    string  `yaml:"resource"`
}

// readScenes reads the embedded scenes.
func readScenes() ([]Attack, error) {
	var all []Attack
	err := fs.WalkDir(sceneFiles, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		raw, err := sceneFiles.ReadFile(path)
		if err != nil {
			return err
		}
		more, err := readScene(raw)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, more...)
		return nil
	})
	return all, err
}

// readScene reads a list of attacks.
func readScene(raw []byte) ([]Attack, error) {
	var files []sceneFile
	if err := decodeStrict(expand(raw), &files); err != nil {
		return nil, err
	}
	var all []Attack
	for _, f := range files {
		if !slices.Contains(Categories(), f.Category) {
			return nil, fmt.Errorf("%s: there is no category %q", f.Name, f.Category)
		}
		a := Attack{
			Name:     f.Name,
			Category: f.Category,
			Summary:  f.Summary,
			Expected: f.Expected,
			Harm:     f.Harm.act(),
			Benign:   f.Benign.act(),
		}
		if f.Peer != nil {
			peer := f.Peer.act()
			a.Harm.Peer, a.Harm.PeerName = &peer, f.Peer.Name
			a.Benign.Peer, a.Benign.PeerName = &peer, f.Peer.Name
		}
		all = append(all, a)
	}
	return all, nil
}

func (f actFile) act() Act {
	a := Act{Side: f.Side, Instructions: f.Instructions, Fault: f.Fault}
	for _, t := range f.Tools {
		a.Tools = append(a.Tools, Tool{json.RawMessage(t.Definition), t.answer(textResult(t.Text))})
	}
	for _, p := range f.Prompts {
		a.Prompts = append(a.Prompts, Prompt{json.RawMessage(p.Definition), p.answer(promptResult(p.Text))})
	}
	for _, r := range f.Resources {
		a.Resources = append(a.Resources, Resource{json.RawMessage(r.Definition), json.RawMessage(r.Answer)})
	}
	for _, s := range f.Script {
		step := Step{
			Peer:        s.Peer,
			Tool:        s.Tool,
			Args:        json.RawMessage(s.Args),
			Intent:      s.Intent,
			Sensitivity: s.Sensitivity,
			Prompt:      s.Prompt,
			Resource:    s.Resource,
		}
		if len(step.Args) == 0 {
			step.Args = json.RawMessage("{}")
		}
		a.Script = append(a.Script, step)
	}
	return a
}

// answer returns the answer in the file, or an answer that contains the text.
func (f itemFile) answer(ofText map[string]any) json.RawMessage {
	if len(f.Answer) > 0 {
		return json.RawMessage(f.Answer)
	}
	if f.Text == "" {
		return nil
	}
	return encode(ofText)
}
