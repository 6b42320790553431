// Package servicetest tests the provider against every release of the service's reference implementation.
//
//	make testacc-service SERVICE=path [CACHE=folder] [CAPTURE=1]
//
// SERVICE is a clone of https://github.com/hoststend/stend-api, or its bare Git directory, which is only read. Nothing of it is in this
// repository. Node.js with npm is needed, and Terraform or OpenTofu as for the other acceptance tests. Without SERVICE the tests that run
// it are skipped.
//
// Each tag and the newest commit, named as git describe names it, is installed in a folder of its own under CACHE, by default
// terraform-provider-filetransfer/service in the user's cache directory (XDG_CACHE_HOME, or ~/.cache). The folders stay for the next run;
// delete CACHE to be rid of them. All other files are in one temporary folder that goes with the run. The service listens on loopback only,
// and ends when the tests end, however they end.
//
// What it answers is compared with testdata/releases: a file for each release, with a document for each setting. A release that is not
// there has to answer like the newest one there. CAPTURE=1 writes these files, and deletes none. What the guide "Supported versions of
// Stend" says about releases has to follow from them.
package servicetest
