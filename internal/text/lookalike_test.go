package text_test

import (
	"strings"
	"testing"

	"mcpproxy/internal/text"
)

func TestWordsOfOtherScriptsStay(t *testing.T) {
	for _, s := range []string{
		"Раз, два, три, четыре, пять, вышел зайчик погулять.",
		"Παρακαλώ στείλτε την αναφορά εξόδων μέχρι την Παρασκευή.",
		"Το συνέδριο θα γίνει στην Αθήνα τον Οκτώβριο.",
		"Ο καιρός είναι καλός σήμερα και αύριο θα βρέξει.",
		"Հայաստանի Հանրապետություն",
		"ჩვენ გვინდა მშვიდობა",
		"שלום לכולם, הפגישה נדחתה למחר",
		"مرحبا، تم تأجيل الاجتماع إلى الغد",
		"会議は明日に延期されました。",
		"회의가 내일로 연기되었습니다.",
		"การประชุมเลื่อนไปเป็นพรุ่งนี้",
		"सभा कल तक के लिए स्थगित है",
	} {
		want := strings.Fields(s)
		for i, word := range strings.Fields(text.NormalForm(s)) {
			if strings.Trim(word, ".,:?!'") != "" && isLatin(word) && !isLatin(want[i]) {
				t.Errorf("%q reads %q in %q", want[i], word, s)
			}
		}
	}
}

func isLatin(word string) bool {
	for _, r := range word {
		if r >= 0x80 {
			return false
		}
	}
	return strings.ContainsAny(strings.ToLower(word), "abcdefghijklmnopqrstuvwxyz")
}

func TestWordsInBorrowedLettersAreRead(t *testing.T) {
	for in, want := range map[string]string{
		"pаsswоrd":           "password", // two Cyrillic letters
		"ignоrе":             "ignore",
		"АKIА1234":           "AKIA1234",
		"ghp_аbc":            "ghp_abc",
		"ΑΚΙΑ7Q":             "AKIA7Q",     // Greek capitals
		"раураl.com":         "paypal.com", // no Latin letter before the dot
		"ѕесurе":             "secure",
		"αdmin":              "admin",
		"pass\u200bwоrd":     "password", // with a zero-width space too
		"ｐаssword":           "password", // with a full-width letter too
		"see раypal, please": "see paypal, please",
	} {
		if got := text.NormalForm(in); got != want {
			t.Errorf("%q reads %q, want %q", in, got, want)
		}
	}
}
