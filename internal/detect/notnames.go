package detect

// idNames are what names contain whose value looks like a key and is none: the
// identifiers, hashes and versions that providers hand out beside their keys.
var idNames = []string{
	"orgid", "organizationid", "projectid", "workspaceid", "teamid", "groupid", "accountid", "tenantid", "userid", "appid",
	"zoneid", "siteid", "pageid", "componentid", "serviceid", "environmentid", "clusterid", "nodeid", "instanceid",
	"resourceid", "objectid", "documentid", "entityid", "traceid", "spanid", "requestid", "eventid", "alertid", "incidentid",
	"issueid", "itemid", "buildid", "jobid", "runid", "taskid", "deploymentid", "deployid", "releaseid", "versionid",
	"sessionid", "correlationid", "messageid", "dynoid", "addonid", "slugid", "keyid", "guid",
	"publickey", "fingerprint", "checksum", "digest", "etag", "commit", "revision", "branch",
	"keyhash", "tokenhash", "secrethash", "githash", "sha1", "sha256", "sha512",
	"tokensha", "secretsha", "githubsha", "gitlabsha", "giteasha", "headsha", "basesha",
}
