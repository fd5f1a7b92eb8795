// Package config reads mcp_config.json: JSON with comments and trailing commas.
//
// Reading is strict. An unknown key, a duplicate key or a value that means
// nothing is an error that names the line, and for a misspelt key the nearest
// one that exists. Strings may name values kept elsewhere: ${env:NAME},
// ${file:PATH} and ${keyring:NAME}.
//
// [Config] holds every key of the product, with its meaning in the struct tags,
// from which [Schema] is made. Keys of parts that are not built yet are read
// and checked like all others; [Config.Idle] lists those that are set and have
// no effect.
package config
