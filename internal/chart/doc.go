// Command chart checks what internal/release cannot check with its few dependencies: that Helm accepts the chart, that
// Kubernetes knows each field of what it renders, and that Docker Compose accepts the compose file.
//
// It is a module of its own, because Helm and the types of Kubernetes take minutes to compile. It writes what Helm has
// rendered to testdata/rendered.yaml, with a digest of the files that were checked. CI runs tests of internal/release
// that compare the digest and the rendered objects with the files as they are: whoever changes them has to run
// `make chart`.
package main
