// Package service tests the provider against every release of the service's reference implementation.
//
//	make testacc-service SERVICE=path [CACHE=folder] [CAPTURE=1]
//
// SERVICE is a clone of https://github.com/hoststend/stend-api, or its bare Git directory. Nothing of it is in this
// repository, and the clone is only read. It needs Node.js with npm, and Terraform or OpenTofu as the other acceptance
// tests do. Without SERVICE these tests are skipped.
//
// Each tag and the newest commit, named as git describe names it, is unpacked and installed in a folder of its own under
// CACHE, by default terraform-provider-filetransfer/service in the user's cache directory. These folders stay for the next
// run; delete CACHE to be rid of them. Everything else is in one temporary folder that goes with the run: the provider, the
// configurations, and what the service stores.
//
// The service listens on loopback only, and ends when the tests end, however they end.
//
// What it answers is compared with internal/instance/testdata/releases, the test data of the parser: one file for each
// release, with one document for each setting. CAPTURE=1 writes these files anew. The table in the guide "Response formats"
// follows from them.
package service
