package flow

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"strings"
	"sync"

	"mcpproxy/internal/locate"
)

// Owner is a secret with the known facts about its owner.
type Owner struct {
	Secret
	// Server is the server whose result first contained the secret, or "".
	Server string
	// Read says that a result contained the secret before any call did. A restart loses this fact.
	Read bool
	// Named are the hosts that the user named together with the secret, or together with a word for secrets.
	Named []string
}

const (
	maxOwners = 4096 // secrets whose owners are remembered
	maxSpoken = 256  // maximum number of words that may be secrets, and of hosts
	minSpoken = 6    // minimum length of such a word, in bytes
)

// owners records, for each secret, what was known when a principal's agent first received it. Later results change
// nothing, because the agent may have written them. Two kinds of secrets are bound to no host: secrets that a call
// carried before any result contained them, and secrets beyond the limit.
type owners struct {
	mu sync.Mutex
	of map[digest]owner
}

type owner struct {
	of      string // the principal; "" for secrets of an older snapshot
	kind    string
	hosts   []string
	service []string
	server  string
	read    bool // a result contained it
}

// secretDigest identifies a secret of a principal.
func secretDigest(principal, value string) digest {
	h := sha256.New()
	_, _ = io.WriteString(h, principal)
	_, _ = h.Write([]byte{0})
	_, _ = io.WriteString(h, value)
	return digest(h.Sum(nil))
}

// meet records the secrets of a result. If outsiders may have written the result, it binds no secret to a host.
func (o *owners) meet(p Transfer) {
	if len(p.Owned) == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range p.Owned {
		met := owner{
			of:    p.Call.Principal,
			kind:  s.Kind,
			hosts: p.Holders,
			read:  true,
		}
		if !p.Class.ReturnsUntrusted && !p.Injected && !p.Dictated {
			met.hosts, met.service = append(s.Hosts, p.Holders...), s.Service
			met.server = p.Call.Server
		}
		o.put(secretDigest(p.Call.Principal, s.Value), met)
	}
}

// put records the facts about a new secret.
func (o *owners) put(key digest, met owner) {
	if _, known := o.of[key]; known || len(o.of) >= maxOwners {
		return
	}
	if o.of == nil {
		o.of = map[digest]owner{}
	}
	o.of[key] = met
}

// savedOwner is the form of an [Owner] in a snapshot.
type savedOwner struct {
	Of      string   `json:"of,omitempty"` // the principal
	Secret  string   `json:"secret"`       // the digest of the principal and the secret, in hexadecimal digits
	Kind    string   `json:"kind"`
	Hosts   []string `json:"hosts,omitempty"`
	Service []string `json:"service,omitempty"`
	Server  string   `json:"server,omitempty"`
}

// save returns, for a snapshot, the owners for which take returns true. Without them, a file that the agent wrote
// could decide after a restart where a secret may go.
func (o *owners) save(take func(owner) bool) []savedOwner {
	o.mu.Lock()
	defer o.mu.Unlock()
	out := make([]savedOwner, 0, len(o.of))
	for key, met := range o.of {
		if !take(met) {
			continue
		}
		out = append(out, savedOwner{
			Of:      met.of,
			Secret:  hex.EncodeToString(key[:]),
			Kind:    met.kind,
			Hosts:   met.hosts,
			Service: met.service,
			Server:  met.server,
		})
	}
	return out
}

// load restores the owners that save returned. It skips entries that cannot be read.
func (o *owners) load(saved []savedOwner) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range saved {
		var key digest
		raw, err := hex.DecodeString(s.Secret)
		if err != nil || len(raw) != len(key) {
			continue
		}
		copy(key[:], raw)
		o.put(key, owner{
			of:      s.Of,
			kind:    s.Kind,
			hosts:   s.Hosts,
			service: s.Service,
			server:  s.Server,
		})
	}
}

// ownersOf returns the owners of the secrets that a call carries: the detected ones and the known ones.
func (t *Tracker) ownersOf(s *Session, p Transfer, known []Secret) []Owner {
	if len(p.Secrets)+len(known) == 0 {
		return nil
	}
	o := &t.owners
	o.mu.Lock()
	defer o.mu.Unlock()
	var out []Owner
	for i, secret := range slices.Concat(p.Secrets, known) {
		detected := i < len(p.Secrets)
		if !detected && slices.ContainsFunc(p.Secrets, func(d Secret) bool { return d.Value == secret.Value }) {
			continue
		}
		key := secretDigest(p.Call.Principal, secret.Value)
		met, ok := o.of[key]
		if !ok && !p.Call.Announced {
			o.put(key, owner{of: p.Call.Principal, kind: secret.Kind})
		}
		if !detected {
			secret.Kind = met.kind
		}
		secret.Hosts, secret.Service = met.hosts, met.service
		out = append(out, Owner{
			Secret: secret,
			Server: met.server,
			Read:   met.read,
			Named:  s.spoken.hostsOf(secret.Value),
		})
	}
	return out
}

// spoken records what the user's words say about secrets: hosts that a sentence names together with a secret, or
// together with a word for secrets.
type spoken struct {
	values map[digest][]string // hosts by a word in the same sentence
	hosts  []string            // hosts in a sentence that mentions a key or a password
	speaks bool                // a sentence mentions a key or a password
}

// add reads a message of the user. A sentence binds a secret to a host if it contains both. A sentence that contains a
// host and a word for secrets binds any secret to the host.
func (s *spoken) add(words string) {
	for sentence := range strings.Lines(words) {
		s.speaks = s.speaks || speaksOfSecrets(sentence)
		var named []string
		for a := range addresses(sentence) {
			if a.kind != kindURL && a.kind != kindHost {
				continue
			}
			if host, _ := locate.Split(a.text); host != "" && !slices.Contains(named, host) && len(named) < 8 {
				named = append(named, host)
			}
		}
		if len(named) == 0 {
			continue
		}
		if speaksOfSecrets(sentence) && len(s.hosts)+len(named) <= maxSpoken {
			s.hosts = append(s.hosts, named...)
		}
		s.keep(sentence, named)
	}
}

// keep binds the words of a sentence that may be secrets to the hosts that it names.
func (s *spoken) keep(sentence string, named []string) {
	for word := range strings.FieldsFuncSeq(sentence, func(r rune) bool { return strings.ContainsRune(" \t\n\"'`<>(),;", r) }) {
		word = strings.TrimRight(word, ".:!?")
		if len(word) < minSpoken || len(s.values) >= maxSpoken {
			continue
		}
		if s.values == nil {
			s.values = map[digest][]string{}
		}
		s.values[secretDigest("", word)] = named
		if _, rest, ok := strings.Cut(word, "://"); ok { // https://user:password@host
			if i := strings.LastIndexByte(rest, '@'); i > 0 {
				s.values[secretDigest("", rest[:i])] = named
				_, password, _ := strings.Cut(rest[:i], ":")
				s.values[secretDigest("", password)] = named
			}
		}
		if _, value, ok := strings.Cut(word, "="); ok && len(value) >= minSpoken {
			s.values[secretDigest("", value)] = named
		}
	}
}

// hostsOf returns the hosts to which the user's words bind a secret.
func (s *spoken) hostsOf(value string) []string {
	if len(s.values) == 0 {
		return s.hosts
	}
	return append(s.hosts[:len(s.hosts):len(s.hosts)], s.values[secretDigest("", value)]...)
}

// join adds the secrets and hosts of another session.
func (s *spoken) join(from spoken) {
	s.hosts = append(s.hosts, from.hosts...)
	s.speaks = s.speaks || from.speaks
	for k, hosts := range from.values {
		if s.values == nil {
			s.values = map[digest][]string{}
		}
		if len(s.values) < maxSpoken {
			s.values[k] = hosts
		}
	}
}

// secretNouns are words for secrets, in the languages of the lexicon.
var secretNouns = strings.Fields(`
	passcode passphrase pw pwd mdp
	key keys token tokens password passwords passwort kennwort schlüssel secret secrets credential credentials apikey login
	zugangsdaten contraseña clave claves clé clés passe jeton senha chave parola chiave wachtwoord sleutel heslo klíč hasło klucz
	lösenord nyckel şifre anahtar пароль ключ токен`)

// secretTails are endings of compound words for secrets: Startpasswort.
var secretTails = strings.Fields("passwort passwörter kennwort wachtwoord wachtwoorden lösenord zugangsdaten schlüssel sleutel")

// secretPhrases lists words for secrets that consist of two words, that languages write without spaces, or that have
// many endings.
var secretPhrases = []string{
	"mật khẩu", "kata sandi", "パスワード", "暗証番号", "密码", "密碼", "口令", "密钥", "비밀번호", "암호", "पासवर्ड",
	"كلمة المرور", "كلمة السر", "סיסמה", "κωδικός πρόσβασης", "κωδικό πρόσβασης", "salasana", "jelszó", "jelszav", "adgangskode",
	"passord",
}

// speaksOfSecrets reports whether a sentence names a key, a token or a password.
func speaksOfSecrets(sentence string) bool {
	lower := strings.ToLower(sentence)
	if slices.ContainsFunc(secretPhrases, func(w string) bool { return strings.Contains(lower, w) }) {
		return true
	}
	return slices.ContainsFunc(nameWords(sentence), func(w string) bool {
		if slices.Contains(secretNouns, w) {
			return true
		}
		return slices.ContainsFunc(secretTails, func(tail string) bool { return strings.HasSuffix(w, tail) })
	})
}
