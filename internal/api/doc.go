// Package api serves the REST API under /api/v1, the event stream at /events, the web page
// under /ui/, the metrics and the health checks.
//
// Requests over the owner's Unix socket need no key. All others must send it as X-API-Key or
// as a bearer token. Every answer has the form {"success":true,"data":…} or
// {"success":false,"error":…,"request_id":…}. The OpenAPI document at /openapi.json is
// generated from the types in this package.
package api
