// Package detecttest reads the made-up secrets with which the rules are tested.
//
// They are in text files, one for each family of rules, in blocks:
//
//	# a comment
//	github_token
//	hit   export TOKEN=«ghp_{alnum:36}»
//	miss  ghp_{alnum:35}
//	or    github_app_token
//
// A block begins with the rule's name. A hit is a text in which the rule must find the value between « and », or the
// whole text if there are no such marks. A miss only looks similar: the rule must find nothing in it. "or" names
// rules that may match instead of this one because they are more specific.
//
// The files must not contain anything that looks like a real secret. Values are therefore written with macros, which
// [Load] expands:
//
//	{alnum:N} {alpha:N} {lower:N} {upper:N} {digit:N} {hex:N} {HEX:N} {base32:N}
//	{bech32:N} {b64:N} {b64url:N} {loweralnum:N} {upperalnum:N} {uuid}
//
// are N random characters. {as64:TEXT} and {as64url:TEXT} are TEXT in base64 and base64url, and {asurl64:TEXT} in
// base64url without padding. {sum:NAME:TEXT} is TEXT completed by a checksum. {join:TEXT} is TEXT; it splits words
// that a secret scanner would recognise. \n is a line end and \t a tab. Other braces stand for themselves.
//
// The same line always expands to the same text.
package detecttest
