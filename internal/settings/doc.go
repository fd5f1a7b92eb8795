// Package settings changes the settings files of other programs, such as agents. [Parse] reads JSON with comments into
// a [File], whose members can be changed individually. A [Change] is the planned change of one file, and [Diff]
// displays it. An [Editor] makes the change and keeps a copy of the earlier content.
//
// Guarantees:
//
//   - A file keeps its comments, order, formatting and mode. A file that cannot be parsed stays unchanged, and the
//     error names the line.
//   - Files are replaced atomically, also through symbolic links, and keep their owner. If another program writes the
//     file at the same time, its changes are kept: the change fails with [atomicfile.ErrChanged], and [Make] plans it
//     again. The copies of earlier content are in a folder that only the user can read, because settings contain
//     secrets.
//   - If a change is undone and nobody else has changed the file in between, the file is the same as before, byte for
//     byte.
package settings
