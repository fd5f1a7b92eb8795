package report

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Sheet is one sheet of a workbook. Its first row is the header, which is bold and always visible. Cells are text,
// numbers, booleans, or nil for an empty cell.
type Sheet struct {
	Name string // at most 31 characters, none of \ / ? * [ ] :
	Rows [][]any
}

// The limits of the format.
const (
	maxSheetName = 31
	maxCell      = 32767 // characters
)

// WriteXLSX writes a workbook in Office Open XML (ECMA-376), which Excel and LibreOffice read. A text in a cell never
// becomes a formula. WriteXLSX returns an error if writing fails, if the name of a sheet is invalid, or if a cell has
// a value of an unsupported type. In the last two cases it writes nothing.
func WriteXLSX(w io.Writer, sheets []Sheet) error {
	if len(sheets) == 0 {
		return errors.New("a workbook needs a sheet")
	}
	parts := [][2]string{}
	var types, book, links strings.Builder
	for i, s := range sheets {
		if s.Name == "" || utf8.RuneCountInString(s.Name) > maxSheetName || strings.ContainsAny(s.Name, `\/?*[]:`) {
			return fmt.Errorf(
				"invalid sheet name %q: must have 1 to %d characters, and no brackets, slashes, colons, asterisks or question marks",
				s.Name,
				maxSheetName,
			)
		}
		body, err := s.xml()
		if err != nil {
			return fmt.Errorf("sheet %s: %w", s.Name, err)
		}
		n := i + 1
		parts = append(parts, [2]string{fmt.Sprintf("xl/worksheets/sheet%d.xml", n), body})
		fmt.Fprintf(
			&types,
			`<Override PartName="/xl/worksheets/sheet%d.xml" ContentType="%sworksheet+xml"/>`,
			n,
			spreadsheetML,
		)
		fmt.Fprintf(&book, `<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, escaped(s.Name), n, n)
		fmt.Fprintf(
			&links,
			`<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`,
			n,
			relationType,
			n,
		)
	}
	fmt.Fprintf(&links, `<Relationship Id="rId%d" Type="%s/styles" Target="styles.xml"/>`, len(sheets)+1, relationType)
	parts = append([][2]string{
		{
			"[Content_Types].xml",
			`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
				`<Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="` + spreadsheetML + `sheet.main+xml"/>` +
				`<Override PartName="/xl/styles.xml" ContentType="` + spreadsheetML + `styles+xml"/>` + types.String() + `</Types>`,
		},
		{
			"_rels/.rels",
			`<Relationships xmlns="` + relations + `"><Relationship Id="rId1" Type="` + relationType + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		},
		{
			"xl/workbook.xml",
			`<workbook xmlns="` + sheetSpace + `" xmlns:r="` + relationType + `"><sheets>` + book.String() + `</sheets></workbook>`,
		},
		{
			"xl/_rels/workbook.xml.rels",
			`<Relationships xmlns="` + relations + `">` + links.String() + `</Relationships>`,
		},
		{"xl/styles.xml", styles},
	}, parts...)
	return writeZip(w, parts)
}

// XML namespaces and content types of the format.
const (
	spreadsheetML = "application/vnd.openxmlformats-officedocument.spreadsheetml."
	relations     = "http://schemas.openxmlformats.org/package/2006/relationships"
	relationType  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	sheetSpace    = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	// Style 0 is plain and style 1 bold.
	styles = `<styleSheet xmlns="` + sheetSpace + `"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
		`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders>` +
		`<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf xfId="0"/><xf xfId="0" fontId="1" applyFont="1"/></cellXfs></styleSheet>`
)

func writeZip(w io.Writer, parts [][2]string) error {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, p := range parts { // entries have no time, so that equal sheets give equal bytes
		f, err := z.CreateHeader(&zip.FileHeader{Name: p[0], Method: zip.Deflate})
		if err != nil {
			return err
		}
		if _, err := io.WriteString(f, xml.Header+p[1]); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	_, err := w.Write(out.Bytes())
	return err
}

func (s Sheet) xml() (string, error) {
	var b strings.Builder
	b.WriteString(
		`<worksheet xmlns="` + sheetSpace + `"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>` +
			`<sheetFormatPr defaultRowHeight="15"/><cols>` + s.widths() + `</cols><sheetData>`,
	)
	for y, row := range s.Rows {
		fmt.Fprintf(&b, `<row r="%d">`, y+1)
		for x, v := range row {
			cell, err := cellXML(columnName(x)+strconv.Itoa(y+1), v, y == 0)
			if err != nil {
				return "", err
			}
			b.WriteString(cell)
		}
		b.WriteString(`</row>`)
	}
	b.WriteString(`</sheetData></worksheet>`)
	return b.String(), nil
}

// widths sets the widths of columns to those of their texts, within limits.
func (s Sheet) widths() string {
	var b strings.Builder
	columns := 1
	for _, row := range s.Rows {
		columns = max(columns, len(row))
	}
	for x := range columns {
		width := 8
		for _, row := range s.Rows {
			if x < len(row) {
				width = max(width, utf8.RuneCountInString(fmt.Sprint(row[x]))+2)
			}
		}
		fmt.Fprintf(&b, `<col min="%d" max="%d" width="%d" customWidth="1"/>`, x+1, x+1, min(width, 80))
	}
	return b.String()
}

func cellXML(at string, v any, header bool) (string, error) {
	style := ""
	if header {
		style = ` s="1"`
	}
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		if r := []rune(v); len(r) > maxCell {
			v = string(r[:maxCell-1]) + "…"
		}
		return fmt.Sprintf(
			`<c r="%s"%s t="inlineStr"><is><t xml:space="preserve">%s</t></is></c>`,
			at,
			style,
			escaped(v),
		), nil
	case bool:
		digit := '0'
		if v {
			digit = '1'
		}
		return fmt.Sprintf(`<c r="%s"%s t="b"><v>%c</v></c>`, at, style, digit), nil
	case int:
		return fmt.Sprintf(`<c r="%s"%s><v>%d</v></c>`, at, style, v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "", fmt.Errorf("cell %s: %v is not a number", at, v)
		}
		return fmt.Sprintf(`<c r="%s"%s><v>%s</v></c>`, at, style, strconv.FormatFloat(v, 'f', -1, 64)), nil
	}
	return "", fmt.Errorf("cell %s: a %T has no form in a cell", at, v)
}

// columnName returns the letters of the column with an index, counted from 0.
func columnName(x int) string {
	name := ""
	for x++; x > 0; x = (x - 1) / 26 {
		name = string(rune('A'+(x-1)%26)) + name
	}
	return name
}

// escaped returns text for XML. Characters that XML does not allow become U+FFFD.
func escaped(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // writing to a buffer cannot fail
	return b.String()
}
