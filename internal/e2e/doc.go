// Package e2e tests what users read and copy: the configurations under examples/ and on the pages, and what the pages say that a CLI
// prints. It finds them by itself, so that a new example or page is tested without editing a list.
//
// A test replaces resources of providers that it cannot install by terraform_data, declares what a configuration refers to and does not
// declare, and puts an instance in the place of URLs like https://files.example.org/api. It sets variables by their names:
//
//   - base_url, an instance of the newer response shape, under a path, that reports what the configuration expects
//   - release and chunk_size, what that instance reports
//   - base_urls and tokens, with the keys "older", "newer" and "mixed" after the response shapes of instances; and "broken", which
//     answers 403, where the configuration says allow_failures
//   - gateway_token, without which the instance answers 401 (X-Gateway-Token: ...)
//   - ca_cert_pem, client_cert_pem and client_key_pem, where the instance requires TLS
//   - tunnel, the host and port of the instance
//
// It skips a configuration that the CLI is too old for, by what the configuration uses.
package e2e
