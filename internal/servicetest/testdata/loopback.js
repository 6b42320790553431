// Loaded before the service, which would listen on all addresses, on a port that somebody has to choose, and outlive tests that are killed.
const { Server } = require('net')
const listen = Server.prototype.listen
Server.prototype.listen = function (options, ...rest) {
  this.once('listening', () => console.error(`\nlistens on ${this.address().port}`))
  return listen.call(this, { ...options, host: '127.0.0.1', port: 0 }, ...rest)
}
process.stdin.on('end', () => process.exit()).resume()
