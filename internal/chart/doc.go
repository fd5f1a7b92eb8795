// Command chart makes the checks that need large dependencies, which internal/release does without: that Helm accepts
// the chart, that Kubernetes knows each field of the rendered objects, and that Docker Compose accepts the compose
// file.
//
// It is a separate module, because Helm and the types of Kubernetes take minutes to compile. It writes the rendered
// chart to testdata/rendered.yaml, with a digest of the files that it has checked. In CI, tests of internal/release
// compare the digest and the rendered objects with the current files. After a change of these files, run `make chart`.
package main
