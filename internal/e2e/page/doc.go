// Package page tests the web page with a real daemon, real calls and a real browser. The scripts for the browser are
// in web/test.
//
// The test needs Node.js, npm and Chromium. If they are missing, it says so and is skipped; in CI it fails. It stores
// screenshots of every view in .cache/page.
package page
