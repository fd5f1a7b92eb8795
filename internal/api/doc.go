// Package api serves the REST API under /api/v1, the event stream at /events
// and the health checks.
//
// Requests over the owner's Unix socket need no key; all others carry it as
// X-API-Key or as a bearer token. Every answer is wrapped:
// {"success":true,"data":…} or {"success":false,"error":…,"request_id":…}.
// The OpenAPI document at /openapi.json is made from the types in this package.
package api
