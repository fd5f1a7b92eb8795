package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mcpproxy"
)

// Every group of records rewrites some pages, however small the group is. So the journal of a log that is written
// record by record must also be copied into the file in time.
func TestTheJournalStaysSmallWhenRecordsComeOneByOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "activity.db")
	s := open(t, path)
	size := func(name string) int64 {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	const records = 5000
	most := int64(0)
	for i := range records {
		r := &mcpproxy.Record{
			ID:        fmt.Sprintf("01J%023d", i),
			Timestamp: time.Unix(int64(i), 0).UTC(),
			Type:      mcpproxy.RecordToolCall,
			Status:    mcpproxy.StatusSuccess,
		}
		if err := s.Append(t.Context(), []*mcpproxy.Record{r}); err != nil {
			t.Fatal(err)
		}
		most = max(most, size(path+"-wal"))
	}
	if most > 64<<20 {
		t.Errorf("the journal had %d MB", most>>20)
	}
}
