package doctor

import (
	"context"
	"fmt"
	"strings"

	"mcpproxy/internal/config"
)

// Deployment is the section of the checklist.
const Deployment = "Deployment checklist"

// The grades of a check.
const (
	gradeOK     = "ok"
	GradeBetter = "could be better"
	gradeBroken = "broken"
)

// point checks one condition for connecting untrusted servers, which is one line of the checklist.
type point func(at Installation, c *config.Config, f *Checkup) Check

// checklist lists the checks in the order in which they run.
var checklist = []point{
	filePoint,
	keyPoint,
	timeoutPoint,
	breakerPoint,
	codePoint,
	collectionPoint,
	httpsPoint,
	groupsPoint,
	quarantinePoint,
	changePoint,
	redactionPoint,
	hooksPoint,
}

// checkDeployment grades the deployment according to the configuration.
func checkDeployment(_ context.Context, at Installation, c *config.Config, f *Checkup) {
	points := checklist
	if len(f.Checks) > 0 && !f.Checks[0].OK {
		points = []point{filePoint} // an invalid file cannot be graded
	}
	for _, look := range points {
		p := look(at, c, f)
		p.Section, p.OK = Deployment, p.Grade != gradeBroken
		f.add(p)
	}
}

// well returns a point that is met.
func well(name, key, format string, args ...any) Check {
	return Check{
		Name:   name,
		Key:    key,
		Grade:  gradeOK,
		Detail: fmt.Sprintf(format, args...),
	}
}

// better returns a point that could be improved, and how.
func better(name, key, advice, format string, args ...any) Check {
	return Check{
		Name:   name,
		Key:    key,
		Grade:  GradeBetter,
		Advice: advice,
		Detail: fmt.Sprintf(format, args...),
	}
}

// broken returns a point that is not met, and what to do.
func broken(name, key, advice, format string, args ...any) Check {
	return Check{
		Name:   name,
		Key:    key,
		Grade:  gradeBroken,
		Advice: advice,
		Detail: fmt.Sprintf(format, args...),
	}
}

// serversWhere names the enabled servers for which f returns true.
func serversWhere(c *config.Config, f func(config.Server) bool) []string {
	var out []string
	for _, s := range c.Servers {
		if s.IsEnabled() && f(s) {
			out = append(out, s.Name)
		}
	}
	return out
}

// maxListed limits the names on one line.
const maxListed = 5

// listed joins at most maxListed names, and says how many more there are.
func listed(names []string) string {
	if n := len(names); n > maxListed {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxListed], ", "), n-maxListed)
	}
	return strings.Join(names, ", ")
}

// Graded returns a sentence that says how many points have each grade.
func (f *Checkup) Graded() string {
	count := map[string]int{}
	for _, c := range f.Checks {
		if c.Section == Deployment {
			count[c.Grade]++
		}
	}
	return fmt.Sprintf("%d ok, %d could be better, %d broken", count[gradeOK], count[GradeBetter], count[gradeBroken])
}
