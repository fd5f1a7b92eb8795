// Package gitconfig reads from git's settings what a user's own repositories and addresses
// are: the remotes of a folder, and user.email.
//
// It reads files and starts no program. [User] reads the user's own settings with the files
// that they include. [Folder] reads the settings of the repository that a folder lies in, also
// of a worktree and a submodule; it follows no include there, because an included file can be
// part of the repository, which strangers write. Files of the repository's content, such as
// .gitmodules, are not read either.
//
// Guarantee: reading is bounded in bytes, files, folders and time, whatever the files say.
package gitconfig
