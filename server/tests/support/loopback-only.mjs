/**
 * Loaded by NODE_OPTIONS before every Node process of the tests: a connection, a datagram or a lookup that would leave this
 * machine fails at once. The error is thrown in the process besides, so that no retry hides it.
 */
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { BlockList, isIP } from 'node:net'
import { constants } from 'node:os'
import { isMainThread } from 'node:worker_threads'

// The handles below all sockets: they get addresses, whoever looked them up.
const { TCP } = process.binding('tcp_wrap')
const { UDP } = process.binding('udp_wrap')
const { ChannelWrap: Resolver } = process.binding('cares_wrap')

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('0.0.0.0')
for (const address of ['::1', '::']) loopback.addAddress(address, 'ipv6')

const isLocal = (host) =>
  isIP(host) ? loopback.check(host, `ipv${isIP(host)}`) : !host || /(^|\.)localhost$/i.test(host)

function refuse(host) {
  const error = new Error(`${host}: a test must not reach beyond loopback`)
  setImmediate(() => {
    if (isMainThread) throw error
    // The error of a thread would end the thread alone, which the service starts again.
    console.error(error)
    process.kill(process.pid, 'SIGKILL')
  })
  return error
}

/** `hostsOf` gets the arguments of the method. */
function guard({ prototype }, methods, hostsOf) {
  for (const method of methods) {
    const original = prototype[method]
    prototype[method] = function (...input) {
      const outside = hostsOf.apply(this, input).find((host) => !isLocal(host))
      if (outside === undefined) return original.apply(this, input)
      refuse(outside)
      return -constants.errno.EPERM
    }
  }
}

const queries = Object.keys(Resolver.prototype).filter((name) => /^query|^getHostByAddr$/.test(name))
guard(TCP, ['connect', 'connect6'], (_request, address) => [address])
guard(UDP, ['connect', 'connect6'], (address) => [address])
// A connected socket sends without an address.
guard(UDP, ['send', 'send6'], (_request, _buffers, _count, _port, address) => [address].filter(isIP))
guard(Resolver, queries, function () {
  return this.getServers().map(([address]) => address)
})

/** No name server is asked for an address. */
const isAsked = (host) => !isIP(host) && !isLocal(host)
const { lookup } = dns
const { lookup: lookupPromise } = dns.promises
dns.lookup = (host, ...others) => (isAsked(host) ? others.at(-1)(refuse(host)) : lookup(host, ...others))
dns.promises.lookup = async (host, options) => {
  if (isAsked(host)) throw refuse(host)
  return lookupPromise(host, options)
}
syncBuiltinESMExports()
