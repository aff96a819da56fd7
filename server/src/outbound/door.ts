import { lookup } from 'node:dns'
import { isIP, isIPv4, type LookupFunction } from 'node:net'
import { createSecureContext } from 'node:tls'
import { type AddressRule, createAddressRule } from './addresses.ts'
import { type Call, makeCall, type Outcome } from './call.ts'
import { type CallError, callError } from './call-error.ts'
import { createConnections } from './connections.ts'
import { createNameLookup, type NameLookup } from './name-lookup.ts'
import { overrideFor, type ResolveOverrides } from './resolve-overrides.ts'

/** Neither call rejects, or takes longer than it may. */
export type Door = {
  post(call: Call): Promise<Outcome>
  get(call: Omit<Call, 'body'>): Promise<Outcome>
  /** Calls in flight fail with `stopped`. */
  close(): Promise<void>
}

export type DoorOptions = {
  resolve: ResolveOverrides
  /** As `parseCidrs` gives them. */
  allowCidrs: string[]
  /** Origins that the operator names: called also by http and at any address, by the machine's own name look-up. */
  trustedOrigins?: ReadonlySet<string>
  /** Idle ones included. A call does not wait for it: more calls at once than this have more connections. */
  maxConnections: number
  /** PEM; by default those that Node trusts, NODE_EXTRA_CA_CERTS among them. */
  certificateAuthorities?: string[]
  lookUpName?: NameLookup
}

/** Two doors share no connection. */
export function openDoor(options: DoorOptions): Door {
  const { resolve, allowCidrs, maxConnections, certificateAuthorities, lookUpName = createNameLookup() } = options
  const { trustedOrigins = new Set() } = options
  const isAllowed = createAddressRule(allowCidrs)
  const connections = createConnections({
    // One for all connections: made for each, a list of authorities costs 6.6 ms and 793 kB a time (measured).
    secureContext: createSecureContext({ ca: certificateAuthorities }),
    lookupFor: (url) => {
      if (trustedOrigins.has(url.origin)) return lookup
      const addresses = overrideFor(resolve, url)
      return toLookupFunction(addresses ? async () => addresses : (name) => lookUpAllowed(name, lookUpName, isAllowed))
    },
    maxConnections,
  })
  let isOpen = true
  const make = async (method: 'GET' | 'POST', call: Call): Promise<Outcome> => {
    const url = URL.parse(call.url)
    if (!isOpen) return failed('stopped')
    const mayBeMade = url && (trustedOrigins.has(url.origin) || mayBeCalled(url))
    return mayBeMade ? makeCall(method, call, url, connections) : failed('forbidden_address')
  }
  return {
    post: (call) => make('POST', call),
    get: (call) => make('GET', { ...call, body: '' }),
    close: () => {
      isOpen = false
      return connections.close()
    },
  }
}

const failed = (error: CallError): Outcome => ({ kind: 'failed', error, durationMs: 0 })

/** An address in the URL itself is never looked up, so nothing would judge it. No target has one (2.4, `target_url`). */
const mayBeCalled = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' && !isIPv4(hostname) && !hostname.startsWith('[')

/**
 * One address that is not allowed refuses the name. The connection is made to the very addresses that were judged: a
 * second look-up could tell others.
 */
async function lookUpAllowed(name: string, lookUpName: NameLookup, isAllowed: AddressRule): Promise<string[]> {
  const addresses = await lookUpName(name)
  if (!addresses.every(isAllowed)) throw callError('forbidden_address')
  return addresses
}

/** As `net` asks for it when it tries several addresses (`all`). */
const toLookupFunction =
  (lookUp: NameLookup): LookupFunction =>
  (hostname, _options, callback) => {
    lookUp(hostname).then(
      (addresses) =>
        callback(
          null,
          addresses.map((address) => ({ address, family: isIP(address) })),
        ),
      (error) => callback(error, []),
    )
  }
