package sqlite_test

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"mcpproxy/internal/ledger/sqlite"
)

// change is a small change of one cell in the file.
type change struct{ table, column string }

// read returns the log, record by record.
func (v *tamperedLog) read(t *rapid.T) (all []sqlite.Stored) {
	rows, err := v.db.Query("SELECT first, prev, rows, bodies, beside FROM pieces ORDER BY first")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var first int64
		var prev string
		var lines, bodies, beside []byte
		if err := rows.Scan(&first, &prev, &lines, &bodies, &beside); err != nil {
			t.Fatal(err)
		}
		some, err := sqlite.Unpack(first, prev, lines, bodies, beside)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, some...)
	}
	return all
}

// write replaces the records in the log. Consecutive records are stored in one piece, if a piece can express them.
func (v *tamperedLog) write(t *rapid.T, all []sqlite.Stored) {
	slices.SortStableFunc(all, func(a, b sqlite.Stored) int { return int(a.Seq - b.Seq) })
	v.exec(t, "DELETE FROM pieces")
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Seq == all[n-1].Seq+1 && all[n].Sealed != nil && all[n-1].Sealed != nil && all[n].Sealed.Prev == all[n-1].Sealed.Hash {
			n++
		}
		first, prev, rows, bodies, beside := sqlite.Pack(all[:n])
		v.exec(t, "INSERT INTO pieces VALUES (?, ?, ?, ?, ?)", first, prev, rows, bodies, beside)
		all = all[n:]
	}
}

// mutate changes one cell of one row. If the cell belongs to a record, mutate returns the record.
func (v *tamperedLog) mutate(t *rapid.T, table string) (c change, seq int64) {
	key := map[string]string{
		"checkpoints": "seq",
		"head":        "one",
		"kinds":       "kind",
		"scopes":      "scope",
		"blocks":      "block",
		"pieces":      "first",
	}[table]
	columns := v.strings(t, "SELECT name FROM pragma_table_info(?) WHERE name <> 'one' ORDER BY cid", table)
	rows := v.strings(t, "SELECT "+key+" FROM "+table+" ORDER BY 1")
	row := rapid.SampledFrom(rows).Draw(t, "row of "+table)
	c = change{table, rapid.SampledFrom(columns).Draw(t, "column")}
	var was any
	if err := v.db.QueryRow("SELECT "+c.column+" FROM "+table+" WHERE "+key+" = ?", row).Scan(&was); err != nil {
		t.Fatal(err)
	}
	before := was
	if bytes, ok := was.([]byte); ok {
		before = slices.Clone(bytes)
	}
	now := mutated(t, was)
	t.Logf("%s.%s of %s: %.80q becomes %.80q", table, c.column, row, was, now)
	res, err := v.db.Exec(
		"UPDATE "+table+" SET "+c.column+" = ? WHERE rowid = (SELECT rowid FROM "+table+" WHERE "+key+" = ? LIMIT 1)",
		now,
		row,
	)
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := res.RowsAffected(); n == 0 {
		t.Fatal("nothing was changed")
	}
	_, _ = fmt.Sscan(row, &seq)
	if bytes, ok := before.([]byte); ok && table == "pieces" {
		for i := range bytes {
			if bytes[i] != now.([]byte)[i] {
				seq += int64(sqlite.PartAt(bytes, i))
			}
		}
	}
	return c, seq
}

func mutated(t *rapid.T, was any) any {
	switch was := was.(type) {
	case nil:
		return []byte{'x'}
	case int64:
		return was + rapid.Int64Range(1, 3).Draw(t, "by")*rapid.SampledFrom([]int64{100, -100}).Draw(t, "sign")
	case []byte:
		at := rapid.IntRange(0, len(was)-1).Draw(t, "byte")
		was[at] ^= byte(1 << rapid.IntRange(0, 7).Draw(t, "bit"))
		return was
	case string:
		if was == "" {
			return "x"
		}
		at := rapid.IntRange(0, len(was)-1).Draw(t, "byte")
		letter := byte('y')
		if was[at] == letter {
			letter = 'z'
		}
		return was[:at] + string(letter) + was[at+1:]
	}
	t.Fatalf("%T", was)
	return nil
}

func (v *tamperedLog) strings(t *rapid.T, query string, args ...any) (all []string) {
	rows, err := v.db.Query(query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}
