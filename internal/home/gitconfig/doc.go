// Package gitconfig reads the user's own repositories and addresses from the settings of git: the remotes of a folder,
// and user.email.
//
// It reads files and starts no program. [User] reads the user's own settings and the files that they include. [Folder]
// reads the settings of the repository that contains a folder, also for worktrees and submodules. It ignores includes
// there, because an included file can be part of the repository, whose content strangers write. It does not read other
// files of the repository's content, such as .gitmodules, either.
//
// Guarantee: reading is limited in bytes, files, folders and time, whatever the files contain.
package gitconfig
