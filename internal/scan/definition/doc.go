// Package definition finds what a server hid in the definitions it declares.
package definition
