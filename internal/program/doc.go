// Package program takes fingerprints of the code that a stdio server is started with, so that a
// change of the code is noticed even if the server declares the same tools as before.
//
// [Open] finds out what a command line starts, and [Reader.Read] hashes it:
//
//	weather                  the file that weather leads to
//	node weather.js          the script; the interpreter is not part of it
//	python -m weather        the module, where mcpproxy can find it
//	npx -y weather@1.2.3     the package in the cache of npm, or in the folder that npx prefers to it
//	uvx weather              the files of the distribution, in the cache of uv
//
// A file inside a folder node_modules stands for its package, and a script that pip or uv has made
// stands for the distribution that it belongs to. What a package depends on is not read.
//
// Guarantee: reading is bounded in bytes, files and time, follows no link out of a package, and
// opens nothing but regular files and folders. What cannot be found or read has no hash, and
// [Print.Unknown] says why. Two prints without a hash are never equal.
package program
