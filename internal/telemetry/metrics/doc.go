// Package metrics counts, and shows the counts in the text format that Prometheus
// reads (version 0.0.4).
//
// The number of series is bounded: a family takes no more label sets than it was
// made with, and counts the rest with every label "other". A stranger who invents
// tool names can fill neither memory nor a dashboard.
//
// Labels are names of the configuration, words of this program, and names of
// tools that a configured server declares; nothing of what a call says.
package metrics
