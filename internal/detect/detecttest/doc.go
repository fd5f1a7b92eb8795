// Package detecttest holds the made-up secrets on which the rules are tried.
//
// They stand in text files, one for each family of rules, in blocks:
//
//	# a comment
//	github_token
//	hit   export TOKEN=«ghp_{alnum:36}»
//	miss  ghp_{alnum:35}
//	or    github_app_token
//
// A block begins with the rule's name. A hit is a text in which the rule must
// find the value between « and »; without those marks, the whole text. A miss
// only looks like it: the rule must find nothing there. "or" names rules that
// may stand in for this one because they know a value more exactly.
//
// No file may hold anything that looks like a real secret, so the values are
// written with macros, which [Load] expands:
//
//	{alnum:N} {alpha:N} {lower:N} {upper:N} {digit:N} {hex:N} {HEX:N} {base32:N}
//	{bech32:N} {b64:N} {b64url:N} {loweralnum:N} {upperalnum:N} {uuid}
//
// are N random characters; {as64:TEXT} and {as64url:TEXT} are TEXT in base64 and base64url,
// {asurl64:TEXT} in base64url without padding; {sum:NAME:TEXT} is TEXT completed by a
// checksum; {join:TEXT} is TEXT, and serves to break a word that a scanner
// would know; \n is a line end and \t a tab. Other braces stand for themselves.
//
// The same line always gives the same text.
package detecttest
