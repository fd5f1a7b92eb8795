// Package settings changes settings files of other programs, such as agents. [Parse]
// reads JSON with comments into a [File], which is changed member by member. A [Change]
// is the planned change of one file; [Diff] shows it. A [Editor] makes the change and
// keeps a copy of the file as it was before.
//
// Guarantees:
//
//   - A file keeps its comments, order, formatting and mode. One that cannot be read
//     is left alone, and the error names the line.
//   - Files are replaced at once, behind symbolic links too, and keep their owner. What
//     another program writes meanwhile is kept: the change fails with
//     [atomicfile.ErrChanged], and [Make] plans it again. What was there before is kept
//     in a folder that only the user can read, since settings hold secrets.
//   - What was changed and then taken back is what it was, byte for byte, when nobody
//     else has changed the file in between.
package settings
