// Package e2e tests what users read and copy: the configurations under examples/, and the documentation's own
// configurations and links. It finds them by itself, so that a new example or page is tested without editing a list.
//
// # What an example may count on
//
// An example states the version it needs in required_version (">= 1.8"), and what OpenTofu needs, if that differs, in a
// comment after it ("# OpenTofu: 1.7"); below it the test is skipped. Variables without a default are given values by
// their names:
//
//   - base_url, an instance of the newer response shape, under a path
//   - release and chunk_size, what that instance reports
//   - base_urls, three instances: "older", "newer" and "mixed", after their response shapes; one more, "broken", that
//     answers 403 where the configuration says allow_failures
//   - gateway_token, without which the instance answers 401 (X-Gateway-Token: ...)
//   - ca_cert_pem, the private authority of the instance's certificate
//   - client_cert_pem and client_key_pem, without which the instance refuses the TLS handshake
//
// If the configuration has records and no data source, the first request is answered with 404, which a data source does not
// retry.
//
// An import block (import-by-*.tf) lies beside the resource it imports, and is left out: its instance does not exist.
package e2e
