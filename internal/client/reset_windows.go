package client

import "syscall"

// errReset is what the system returns for a connection that was reset. syscall.ECONNRESET is a number of Go's own on Windows.
const errReset = syscall.WSAECONNRESET
