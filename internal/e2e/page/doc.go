// Package page drives the page that people look at mcpproxy through: a real daemon,
// real calls, and a real browser. What is played stands in web/test.
//
// It needs Node.js, npm and Chromium. Where they are not, it says so and is skipped;
// in CI it fails. Pictures of every view are kept in .cache/page.
package page
