package doctor

import (
	"fmt"
	"time"

	"mcpproxy"
	"mcpproxy/internal/api"
	"mcpproxy/internal/policy"
)

// checkRecording looks for calls that the running daemon did not see or could not record.
func (f *Checkup) checkRecording(st *api.Overview) {
	if lost := st.Log.Failure; lost != nil {
		f.add(Check{
			Section: "Activity log",
			Name:    "writing",
			Detail: fmt.Sprintf(
				"the daemon cannot write it: %s; records lost since %s: %d; %s",
				lost.Error,
				lost.Since.Local().Format(time.DateTime),
				lost.Lost,
				lost.Consequence(),
			),
			Advice: "free space on the disk of the data folder, and look at its permissions and at what the daemon writes to its standard error; the daemon tries again by itself",
			Key:    policy.RuleLog,
		})
	}
	if lost := st.State; lost != nil {
		f.add(Check{
			Section: "Replicas",
			Name:    "state",
			Detail:  fmt.Sprintf("since %s: %s", lost.Since.Local().Format(time.DateTime), lost.Error),
			Advice:  "look at the Valkey or Redis server and at the network between; the daemon tries again by itself",
			Key:     "state.on_outage",
		})
	}
	f.checkShipping(st.Ship, Check{Name: "hub", Key: "ship.hub"})
	f.checkShipping(st.ShipBucket, Check{Name: "bucket", Key: "ship.bucket"})
	if st.Unseen != nil {
		f.add(Check{
			Section: "Hooks",
			Name:    "unseen",
			Detail:  st.Unseen.String(),
			Advice:  "keep the daemon running, or set security.hooks.fail_open to false, so that such calls are denied",
			Key:     "security.hooks.fail_open",
		})
	}
	f.checkOutage(st.Outage)
	f.advise(st.Log.Failure == nil && st.Log.Lost > 0, Check{
		Section: "Activity log",
		Name:    "lost",
		Detail:  fmt.Sprintf("records that could not be written since the daemon was started: %d", st.Log.Lost),
		Advice:  "see when with `mcpproxy activity list --type gap`",
	})
}

// checkOutage reports a period in which the daemon did not run. A stop by a person does not fail the check.
func (f *Checkup) checkOutage(away *mcpproxy.Gap) {
	if away == nil {
		return
	}
	check := Check{
		Section: "Daemon",
		Name:    "outage",
		Detail:  away.String(),
		Advice:  "if you did not stop it, check what agents did in that time; set security.hooks.fail_open to false, so that calls are denied without a daemon",
		Key:     "security.hooks.fail_open",
	}
	if away.Reason == mcpproxy.GapStopped {
		f.advise(true, check)
		return
	}
	f.add(check)
}

// checkShipping reports whether the records of the activity log reach the hub or the bucket that check names.
func (f *Checkup) checkShipping(sent *api.Shipping, check Check) {
	if sent == nil {
		return
	}
	check.Section, check.OK = "Activity log", sent.Error == ""
	check.Detail = sent.Failing()
	switch {
	case check.Detail == "":
		check.Detail = fmt.Sprintf("%s has the records up to number %d", sent.Hub, sent.Sent)
	case sent.Error != "":
		check.Advice = "see what to do in docs/hub.md; the daemon tries again by itself"
	default:
		check.Grade = GradeBetter
		check.Advice = "look again in some minutes; if the number grows, the " + check.Name + " or the network is too slow"
	}
	f.add(check)
}
