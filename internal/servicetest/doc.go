// Package servicetest tests the provider against every release of the service's reference implementation.
//
//	make testacc-service SERVICE=path [CACHE=folder] [CAPTURE=1]
//
// SERVICE is a clone of https://github.com/hoststend/stend-api, or its bare Git directory, which is only read. Node.js
// with npm is needed, and a CLI as for other acceptance tests. Each tag and the newest commit, named as git describe
// names it, is installed in a folder of its own under CACHE, by default terraform-provider-filetransfer/service in the
// user's cache directory. The service listens on loopback only, and ends when the tests end, however they end.
//
// What it answers is compared with testdata/releases: a file for each release, with a document for each setting.
// CAPTURE=1 writes these files, and deletes none.
package servicetest
