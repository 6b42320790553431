variable "base_urls" {
  type = map(string)
}
