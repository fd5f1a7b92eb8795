// Package config reads mcp_config.json: JSON with comments and trailing commas.
//
// Reading is strict. An unknown key, a duplicate key or an invalid value is an error that
// names the line; for a misspelt key the error also names the nearest valid key. Strings may
// refer to values that are stored elsewhere: ${env:NAME}, ${file:PATH}, ${keyring:NAME} and ${cmd:PROGRAM ARGS}.
//
// [Config] has a field for every key. The struct tags say what the keys mean, and [Schema] is
// generated from them. Keys of features that do not exist yet are read and checked like all
// others; [Config.Idle] lists the keys that are set and have no effect.
package config
