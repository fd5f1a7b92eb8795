package shell

import (
	"testing"

	"mcpproxy/internal/lazyregexp"
	"mcpproxy/internal/lazyregexp/lazyregexptest"
)

// filtered are the patterns that read the code of command lines.
var filtered = map[string]*lazyregexp.Filtered{
	"binds":        binds,
	"codeChanges":  codeChanges,
	"codeDescends": codeDescends,
	"codeEnds":     codeEnds,
	"codeRuns":     codeRuns,
	"connects":     connects,
	"dark":         dark,
	"decodes":      decodes,
	"defines":      defines,
	"envNames":     envNames,
	"envWords":     envWords,
	"fetchedCode":  fetchedCode,
	"giveWords":    giveWords,
	"grows":        grows,
	"imported":     imported,
	"inHomeFolder": inHomeFolder,
	"listenWords":  listenWords,
	"lists":        lists,
	"nearWords":    nearWords,
	"netWords":     netWords,
	"pathCalls":    pathCalls,
	"proving":      proving,
	"runsInput":    runsInput,
	"servesFiles":  servesFiles,
	"shellNames":   shellNames,
	"shellOut":     shellOut,
	"sinks":        sinks,
	"socketWords":  socketWords,
	"telling":      telling,
}

func TestFiltersAdmitEveryTextThatTheirPatternMatches(t *testing.T) {
	for name, f := range filtered {
		lazyregexptest.Admits(t, name, f)
	}
}
