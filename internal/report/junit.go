package report

import (
	"encoding/xml"
	"io"
	"strconv"
)

// Suite is a group of cases, in the terms of JUnit.
type Suite struct {
	Name       string
	Time       string // start time, ISO 8601; may be empty
	Cases      []Case
	Properties [][2]string // names and values
	Error      string      // why the suite is incomplete; empty for a complete one
}

// Case is one test.
type Case struct {
	Class   string
	Name    string
	Seconds float64
	Failure string // why it failed, in one line; empty if it did not fail
	Text    string // further details about the failure
	Skipped string // why it was skipped; empty if it was not
	Output  string
}

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string           `xml:"name,attr"`
	Tests      int              `xml:"tests,attr"`
	Failures   int              `xml:"failures,attr"`
	Errors     int              `xml:"errors,attr"`
	Skipped    int              `xml:"skipped,attr"`
	Time       string           `xml:"time,attr"`
	Timestamp  string           `xml:"timestamp,attr,omitempty"`
	Properties *junitProperties `xml:"properties"`
	Cases      []junitCase      `xml:"testcase"`
	Err        string           `xml:"system-err,omitempty"`
}

type junitProperties struct {
	All []junitProperty `xml:"property"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr"`
	Skipped *junitProblem `xml:"skipped"`
	Failure *junitProblem `xml:"failure"`
	Error   *junitProblem `xml:"error"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes suites as JUnit XML in the form that CI servers read. For an incomplete suite it adds a case with
// an error. WriteJUnit returns the error of the writer.
func WriteJUnit(w io.Writer, name string, suites []Suite) error {
	all := junitSuites{Name: name}
	total := 0.0
	for _, s := range suites {
		one, seconds := s.junit()
		all.Suites = append(all.Suites, one)
		all.Tests = all.Tests + one.Tests
		all.Failures = all.Failures + one.Failures
		all.Errors = all.Errors + one.Errors
		total = total + seconds
	}
	all.Time = seconds(total)
	out, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+string(out)+"\n")
	return err
}

func (s Suite) junit() (out junitSuite, total float64) {
	out = junitSuite{Name: s.Name, Timestamp: s.Time}
	for i, p := range s.Properties {
		if i == 0 {
			out.Properties = &junitProperties{}
		}
		out.Properties.All = append(out.Properties.All, junitProperty{p[0], p[1]})
	}
	for _, c := range s.Cases {
		one := junitCase{
			Class:  c.Class,
			Name:   c.Name,
			Time:   seconds(c.Seconds),
			Output: c.Output,
		}
		switch {
		case c.Failure != "":
			one.Failure = &junitProblem{c.Failure, "failure", c.Text}
			out.Failures++
		case c.Skipped != "":
			one.Skipped = &junitProblem{Message: c.Skipped}
			out.Skipped++
		}
		out.Cases, total = append(out.Cases, one), total+c.Seconds
	}
	if s.Error != "" {
		out.Cases = append(out.Cases, junitCase{
			Class: s.Name,
			Name:  "the run is whole",
			Time:  "0.000",
			Error: &junitProblem{Message: s.Error, Type: "partial"},
		})
		out.Errors++
	}
	out.Tests, out.Time = len(out.Cases), seconds(total)
	return out, total
}

func seconds(s float64) string { return strconv.FormatFloat(s, 'f', 3, 64) }
