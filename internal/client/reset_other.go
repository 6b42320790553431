//go:build !windows

package client

import "syscall"

// errReset is what the system returns for a connection that was reset.
const errReset = syscall.ECONNRESET
