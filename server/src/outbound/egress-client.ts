import { lookup } from 'node:dns'
import { isIPv4 } from 'node:net'
import { createSecureContext } from 'node:tls'
import { type AddressRule, createAddressRule } from './addresses.ts'
import { portOf } from './connection.ts'
import { createConnections } from './connections.ts'
import { createNameLookup, type NameLookup } from './name-lookup.ts'
import type { Families } from './race-addresses.ts'
import { type RequestError, requestError } from './request-error.ts'
import { canBeSent } from './request-head.ts'
import { overrideFor, type ResolveOverrides } from './resolve-overrides.ts'
import { type OutboundRequest, type Outcome, sendRequest } from './send-request.ts'

/** Neither call rejects, or takes longer than it may. */
export type EgressClient = {
  post(call: OutboundRequest): Promise<Outcome>
  get(call: Omit<OutboundRequest, 'body'>): Promise<Outcome>
  /** Calls in flight fail with `stopped`. */
  close(): Promise<void>
}

export type EgressOptions = {
  resolve: ResolveOverrides
  /** As `parseCidrs` gives them. */
  allowCidrs: string[]
  /** All of them when it is absent. */
  allowPorts?: ReadonlySet<number>
  /** Origins that the operator names: called also by http and at any address, by the machine's own name look-up. */
  trustedOrigins?: ReadonlySet<string>
  /** Idle ones included. A call does not wait for it: more calls at once than this have more connections. */
  maxConnections: number
  /** PEM; by default those that Node trusts, NODE_EXTRA_CA_CERTS among them. */
  certificateAuthorities?: string[]
  lookUpName?: NameLookup
}

/** Two egress clients share no connection. */
export function createEgressClient(options: EgressOptions): EgressClient {
  const { maxConnections, certificateAuthorities, trustedOrigins = new Set() } = options
  const connections = createConnections({
    // One for all connections: made for each, a list of authorities costs 6.6 ms and 793 kB a time (measured).
    secureContext: createSecureContext({ ca: certificateAuthorities }),
    addressesOf: createAddressesOf(options, trustedOrigins),
    maxConnections,
  })
  let isOpen = true
  const problemOf = (url: URL | null, { headers }: Pick<OutboundRequest, 'headers'>): RequestError | undefined => {
    if (!isOpen) return 'stopped'
    if (!canBeSent(headers)) return 'network_error'
    if (url && trustedOrigins.has(url.origin)) return undefined
    if (!url || !mayBeCalled(url)) return 'forbidden_address'
    return options.allowPorts?.has(portOf(url)) === false ? 'forbidden_port' : undefined
  }
  const make = async (method: 'GET' | 'POST', call: OutboundRequest): Promise<Outcome> => {
    const url = URL.parse(call.url)
    const problem = problemOf(url, call)
    return url && !problem ? sendRequest(method, call, url, connections) : failed(problem ?? 'forbidden_address')
  }
  return {
    post: (call) => make('POST', call),
    get: (call) => make('GET', { ...call, body: '' }),
    close: async () => {
      isOpen = false
      connections.close()
    },
  }
}

const failed = (error: RequestError): Outcome => ({ kind: 'failed', error, durationMs: 0 })

/** An address in the URL itself is never looked up, so nothing would judge it. No target has one (2.4, `target_url`). */
const mayBeCalled = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' && !isIPv4(hostname) && !hostname.startsWith('[')

/** Where a call to a URL goes. */
function createAddressesOf(
  { resolve, allowCidrs, lookUpName = createNameLookup() }: EgressOptions,
  trustedOrigins: ReadonlySet<string>,
): (url: URL) => Families {
  const isAllowed = createAddressRule(allowCidrs)
  return (url) => {
    if (trustedOrigins.has(url.origin)) return [askSystem(url.hostname.replace(/^\[|\]$/g, ''))]
    const addresses = overrideFor(resolve, url)
    return addresses ? [Promise.resolve(addresses)] : lookUpName(url.hostname).map((family) => judge(family, isAllowed))
  }
}

/**
 * One address that is not allowed refuses the name. The connection is made to the very addresses that were judged: a
 * second look-up could tell others.
 */
async function judge(family: Promise<string[]>, isAllowed: AddressRule): Promise<string[]> {
  const addresses = await family
  if (!addresses.every(isAllowed)) throw requestError('forbidden_address')
  return addresses
}

/** By the machine's own means, its `hosts` file among them. None: there is no such name. */
const askSystem = (name: string): Promise<string[]> =>
  new Promise((resolve) => {
    lookup(name, { all: true }, (error, found) => resolve(error ? [] : found.map(({ address }) => address)))
  })
