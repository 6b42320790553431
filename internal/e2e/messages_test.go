package e2e_test

// summaries returns the words with which the provider's messages begin: the summaries of its diagnostics and the errors
// of its functions, without what follows them (a status, a number).
//
// The provider is to export this list; until it does, it is kept here.
func summaries() []string {
	return []string{
		// A read that failed.
		"Host name of the instance not found",
		"Instance not reachable",
		"Instance not reachable through the proxy",
		"Instance did not answer in time",
		"Connection to the instance broke",
		"Certificate of the instance not trusted",
		"TLS handshake with the instance failed",
		"Response of the instance is not valid HTTP",
		"Request headers rejected",
		"Redirect of the instance not followed",
		"Instance answered with status",
		"Response of the instance too large",
		"Response of the instance is not JSON",
		"Response is not an instance document",
		"Instance could not be read",
		"Read canceled",
		"No instance to read",
		"Provider configuration not known yet",

		// A configuration that is invalid.
		"Invalid base URL",
		"Invalid request header",
		"Invalid number",
		"Invalid duration",
		"min_delay is longer than max_delay",
		"CA certificates not usable",
		"Client certificate not usable",
		"Client certificate without its key",
		"Client key without its certificate",
		"Invalid TLS configuration",

		// Warnings.
		"Instances could not be read",
		"Instance record not refreshed",
		"Expiry options shorter than a minute",
		"Expiry entries contradict themselves",
		"Request headers without an instance to send them to",
		"Certificates are not verified",

		// Functions.
		"No expiry option is at most",
		"The list is empty: there is no expiry option to select",
		"This is not a JSON document",
		"This is not an instance document",

		// Bugs.
		"Unexpected provider data",
		"Unexpected configuration",
	}
}
