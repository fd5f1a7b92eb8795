package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"mcpproxy/internal/upstream/oauth/oauthtest"
)

// authorities are the running authorization servers (*oauthtest.Process), by the
// address of their MCP server.
var authorities sync.Map

// authorityOf returns the authorization server of a script.
func authorityOf(ts *testscript.TestScript) (*oauthtest.Process, bool) {
	p, ok := authorities.Load(ts.Getenv("MCP"))
	if !ok {
		return nil, false
	}
	return p.(*oauthtest.Process), true
}

// authority [BEHAVIOUR] starts an authorization server with an MCP server behind it and sets MCP to the address of the
// MCP server. If one is running, it changes the behaviour. The word "end" ends all logins.
func authority(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	p, running := authorityOf(ts)
	switch {
	case !running:
		var err error
		p, err = oauthtest.Start()
		ts.Check(err)
		ts.Defer(p.Close)
		ts.Setenv("MCP", p.MCP)
		ts.Setenv("ISSUER", p.Issuer)
		authorities.Store(p.MCP, p)
	case args[0] == "end":
		ts.Check(p.EndLogins())
	default:
		var b oauthtest.Behaviour
		ts.Check(json.Unmarshal([]byte(args[0]), &b))
		ts.Check(p.Set(b))
	}
}

// hides FILE… checks that the files, or the files in the given folders, contain no token, code or secret of the
// authorization server. It skips the files that store them.
func hides(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	p, _ := authorityOf(ts)
	l, err := p.Log()
	ts.Check(err)
	if len(l.Secrets) < 3 {
		ts.Fatalf("there are only %d secrets to be found", len(l.Secrets))
	}
	look := func(name, text string) {
		for _, secret := range l.Secrets {
			if strings.Contains(text, secret) {
				ts.Fatalf("a secret of %d characters stands in %s", len(secret), name)
			}
		}
	}
	for _, name := range args {
		if name == "stdout" || name == "stderr" {
			look(name, ts.ReadFile(name))
			continue
		}
		ts.Check(filepath.WalkDir(ts.MkAbs(name), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || filepath.Base(path) == "grants.json" {
				return err
			}
			raw, err := os.ReadFile(path)
			look(path, string(raw))
			return err
		}))
	}
}

// fails WORDS OPERATION SERVER:TOOL ARGUMENTS calls a tool, which must fail with these words.
func fails(ts *testscript.TestScript, neg bool, args []string) {
	none(ts, neg)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if o := callTool(ctx, socketClient(ts), args[1:]); o.err == nil || !strings.Contains(o.err.Error(), args[0]) {
		ts.Fatalf("%v %s", o.err, o.text)
	}
}

var webAddress = regexp.MustCompile(`https?://\S+/authorize\?\S+`)

// browser opens its argument, or the first login address in its input, as a browser does.
func browser() {
	if len(os.Args) < 2 {
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			fmt.Println(in.Text())
			if address := webAddress.FindString(in.Text()); address != "" {
				os.Args = append(os.Args, address)
				go visit(address)
			}
		}
		return
	}
	visit(os.Args[1])
}

func visit(address string) {
	if _, page, err := oauthtest.Browse(address); err != nil {
		fmt.Println(err)
	} else {
		fmt.Println(page)
	}
}
