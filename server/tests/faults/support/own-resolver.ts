import dns from 'node:dns'

/** Loaded before the service: names are looked up at `FAULT_NAME_SERVER` instead of the system's name servers. */
const { Resolver } = dns.promises

dns.promises.Resolver = class extends Resolver {
  constructor(options?: dns.ResolverOptions) {
    super(options)
    this.setServers([process.env.FAULT_NAME_SERVER ?? ''])
  }
}
