//go:build unix

package bundle

const systemFile = "/etc/mcpproxy/managed.json"
