// Package metrics counts events and prints the counts in Prometheus' text format (version 0.0.4).
//
// The number of series is bounded. A family has a maximum number of label sets; further sets are
// counted with the value "other" for every label. So a stranger who invents tool names can fill
// neither the memory nor a dashboard.
//
// Label values are names from the configuration, words of this program, and names of tools that a
// configured server declares. The content of a call is never a label.
package metrics
