package client

import (
	"errors"
	"strings"
	"syscall"
)

// systemError describes an error of the operating system, in the same words on every system.
type systemError struct {
	// unix is its number on Unix, and winsock that on Windows, whose own texts are sentences in the user's language.
	unix, winsock syscall.Errno
	words         string
	// local is true if this machine has refused the connection, before anything went to another.
	local bool
}

var systemErrors = []systemError{
	{syscall.ECONNREFUSED, 10061, "connection refused", false},
	{syscall.ECONNRESET, 10054, "connection reset by peer", false},
	{syscall.ETIMEDOUT, 10060, "connection timed out", false},
	{syscall.EHOSTUNREACH, 10065, "no route to host", false}, // mostly said by a router or a firewall
	{syscall.ENETUNREACH, 10051, "network is unreachable", true},
	{syscall.EADDRNOTAVAIL, 10049, "no local address or port is available", true},
	{syscall.EAFNOSUPPORT, 10047, "address family not supported", true},
	{syscall.EMFILE, 10024, "too many open files", true},
	{syscall.ENFILE, 0, "too many open files in the system", true},
	{syscall.ENOBUFS, 10055, "no buffer space available", true},
	{syscall.EACCES, 10013, "permission denied", true},
	{syscall.EPERM, 0, "operation not permitted", true},
	{syscall.EINVAL, 10022, "invalid argument", true}, // for a blackhole route
}

// systemErrorOf returns the error of the system in err's tree, in its own words if it is not in the table, or nil.
func systemErrorOf(err error) *systemError {
	number, ok := errors.AsType[syscall.Errno](err)
	if !ok {
		return nil
	}
	for i, known := range systemErrors {
		if number == known.unix || number == known.winsock {
			return &systemErrors[i]
		}
	}
	return &systemError{unix: number, words: strings.TrimSuffix(number.Error(), ".")}
}
