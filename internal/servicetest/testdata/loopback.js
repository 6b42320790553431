// Loaded before the service, which would listen on all addresses, and outlive tests that are killed.
const { Server } = require('net')
const listen = Server.prototype.listen
Server.prototype.listen = function (options, ...rest) {
  return listen.call(this, { ...options, host: '127.0.0.1' }, ...rest)
}
process.stdin.on('end', () => process.exit()).resume()
