package scan

// Sense is a list of words with the same meaning. Words are separated by white space; "ignor/e/ing" stands for two
// words, and "_" joins the words of a phrase.
type Sense struct{ Means, Words string }

// Lexicon has the words of one language. Texts may mix languages, so all lexicons are always used.
type Lexicon []Sense

// languages are the lexicons of all languages.
var languages = []Lexicon{
	english,
	englishThings,
	german,
	french,
	spanish,
	italian,
	portuguese,
	russian,
	chinese,
	japanese,
	korean,
	others,
}

// carriers are words after which a command may begin, as at the start of a clause: "please send", "then delete", "you
// must now send".
const carriers = `please pls plz kindly then now also just finally next instead immediately do always simply additionally first second lastly
	must should shall todo so therefore furthermore moreover quickly silently quietly secretly directly ok okay important urgent
	bitte dann jetzt sofort zuerst nun auch einfach
	puis ensuite maintenant veuillez immediatement dabord aussi
	favor luego ahora inmediatamente ademas entonces tambien
	favore poi ora adesso subito anche prego
	depois agora imediatamente entao tambem
	пожалуйста затем теперь сейчас немедленно сначала потом также срочно`

// joiners join two commands.
const joiners = `and then und dann et puis y e luego poi depois и а`

// askers begin a command anywhere.
const askers = `please pls plz kindly bitte veuillez пожалуйста`

// decoys are common words that differ by one letter from a word with a meaning and are not misspellings of it.
const decoys = `assistante assistantes assistentin module public limit invalid compare transit interval remote person openapi clause precedence demand recover inbound caches
	safely discord initiate exiting internals filler unload intern modulo eliminate constrain barrier angular forgot chicken importance
	emission earnings summit mortality mandate filer forme forge warming argent precious carriers outlier imitation modality immortal
	politics polices cheeks omission reactivate expos ignored signore massage massages poster overrode assistance contest usage passport
	originals kunnen nutzer regel befehl andare podido remplace editar enden midden wartung klient`
