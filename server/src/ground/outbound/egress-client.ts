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

/** Neither method rejects, or takes longer than the timeout of its request. */
export type EgressClient = {
  post(request: OutboundRequest): Promise<Outcome>
  get(request: Omit<OutboundRequest, 'body'>): Promise<Outcome>
  /** Requests in flight fail with `stopped`. */
  close(): Promise<void>
}

export type EgressOptions = {
  resolve: ResolveOverrides
  /** From `parseCidrs`. */
  allowCidrs: string[]
  /** Absent: every port. */
  allowPorts?: ReadonlySet<number>
  /** Origins of the operator: http and every address are allowed, and names are resolved by the system. */
  trustedOrigins?: ReadonlySet<string>
  /** Idle ones included. No request waits for it: more requests at once open more connections, of which none is kept. */
  maxConnections: number
  /** PEM. Default: those that Node trusts, NODE_EXTRA_CA_CERTS included. */
  certificateAuthorities?: string[]
  lookUpName?: NameLookup
}

/** Egress clients share no connections with each other. */
export function createEgressClient(options: EgressOptions): EgressClient {
  const { maxConnections, certificateAuthorities, trustedOrigins = new Set() } = options
  const connections = createConnections({
    // Shared by all connections: a list of authorities costs 6.6 ms and 793 kB each time (measured).
    secureContext: createSecureContext({ ca: certificateAuthorities }),
    addressesOf: createAddressesOf(options, trustedOrigins),
    maxConnections,
  })
  let isOpen = true
  const problemOf = (url: URL | null, { headers }: Pick<OutboundRequest, 'headers'>): RequestError | undefined => {
    if (!isOpen) return 'stopped'
    if (!canBeSent(headers)) return 'network_error'
    if (url && trustedOrigins.has(url.origin)) return undefined
    if (!url || !mayBeRequested(url)) return 'forbidden_address'
    return options.allowPorts?.has(portOf(url)) === false ? 'forbidden_port' : undefined
  }
  const make = async (method: 'GET' | 'POST', request: OutboundRequest): Promise<Outcome> => {
    const url = URL.parse(request.url)
    const problem = problemOf(url, request)
    return url && !problem ? sendRequest(method, request, url, connections) : failed(problem ?? 'forbidden_address')
  }
  return {
    post: (request) => make('POST', request),
    get: (request) => make('GET', { ...request, body: '' }),
    close: async () => {
      isOpen = false
      connections.close()
    },
  }
}

const failed = (error: RequestError): Outcome => ({ kind: 'failed', error, durationMs: 0 })

/** An IP address in the URL is never looked up, so no rule would check it. No target has one (2.4, `target_url`). */
const mayBeRequested = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' && !isIPv4(hostname) && !hostname.startsWith('[')

function createAddressesOf(
  { resolve, allowCidrs, lookUpName = createNameLookup() }: EgressOptions,
  trustedOrigins: ReadonlySet<string>,
): (url: URL) => Families {
  const isAllowed = createAddressRule(allowCidrs)
  return (url) => {
    if (trustedOrigins.has(url.origin)) return [resolveBySystem(url.hostname.replace(/^\[|\]$/g, ''))]
    const addresses = overrideFor(resolve, url)
    return addresses
      ? [Promise.resolve(addresses)]
      : lookUpName(url.hostname).map((family) => checkAll(family, isAllowed))
  }
}

/**
 * One forbidden address refuses the whole name. The connection is made to the addresses checked here, because a second
 * look-up could return others.
 */
async function checkAll(family: Promise<string[]>, isAllowed: AddressRule): Promise<string[]> {
  const addresses = await family
  if (!addresses.every(isAllowed)) throw requestError('forbidden_address')
  return addresses
}

/** Uses the system's resolver, `hosts` file included. Empty when the name does not exist. */
const resolveBySystem = (name: string): Promise<string[]> =>
  new Promise((resolve) => {
    lookup(name, { all: true }, (error, found) => resolve(error ? [] : found.map(({ address }) => address)))
  })
