package flow

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// errorReport is the expression that clues replace.
var errorReport = regexp.MustCompile(`(?:[A-Za-z]{3,}(?:Error|Exception)\b|\berror\[|\b(?:npm )?ERR!|\bERR_[A-Z]|` +
	`\b(?:FATAL|ERROR|PANIC)\b|\b(?:error|panic|fatal|warning|traceback)\b[^.]{0,40}:|` +
	`\b(?:timed out|connection refused|unreachable|deprecated)\b|\bTraceback\b|\bSQLSTATE\b|\bFailed[A-Z])`)

func sameReport(t *testing.T, line string) {
	t.Helper()
	if got, want := reportsError(line, cluesIn(line)), errorReport.MatchString(line); got != want {
		t.Errorf("%q reports an error: %v, want %v", line, got, want)
	}
}

func TestCluesFindWhatTheExpressionMatches(t *testing.T) {
	pieces := strings.Split("Error|Exception|error|[|npm |ERR|!|_|FATAL|ERROR|PANIC|panic|fatal|warning|traceback|Traceback|"+
		"timed out|connection |refused|connection refused|unreachable|deprecated|SQLSTATE|Failed|:|.| |  |x|Xyz|é|\xff|4|\n|"+
		"nineteen letters or so|rror|xception|T|E", "|")
	r := rand.New(rand.NewPCG(3, 4))
	matches := 0
	for range 20_000 {
		var b strings.Builder
		for range 1 + r.IntN(6) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		sameReport(t, b.String())
		if errorReport.MatchString(b.String()) {
			matches++
		}
	}
	if matches < 2000 || matches > 18_000 {
		t.Errorf("%d of 20,000 texts report an error", matches)
	}
}

func FuzzClues(f *testing.F) {
	for _, s := range []string{"error TS2304: x", "npm ERR! code", "a terror: x", "java.lang.NullException", "FailedX"} {
		f.Add(s)
	}
	f.Fuzz(sameReport)
}

func BenchmarkReportsError(b *testing.B) {
	line := strings.Repeat(`{"type":"text","value":"no errors were found in the terror of errors"} `, 20)
	b.Run("clues", func(b *testing.B) {
		for b.Loop() {
			reportsError(line, cluesIn(line))
		}
	})
	b.Run("expression", func(b *testing.B) {
		for b.Loop() {
			errorReport.MatchString(line)
		}
	})
}
