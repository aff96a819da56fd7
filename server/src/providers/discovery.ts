import type { Clock } from '../runtime/clock.ts'
import type { Discover, Server } from './connector.ts'
import { ProviderFailure } from './failure.ts'
import { keepFetches } from './kept-fetches.ts'
import { isObject, type JsonObject, mayBeCalled, type ProviderFetch, parseJson } from './provider-fetch.ts'

const maxDocuments = 1_000
const maxUrlLength = 2_048
const freshMs = 3_600_000
/** For so long a document is used when no newer one can be had, … */
const usableMs = 24 * 3_600_000
/** … which is tried so often. */
const nextTryMs = 60_000
/** Anybody may follow links to sign in, and each would ask a provider that fails. */
const leastRestMs = 1_000

const endpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'] as const
const optional: string[] = ['userinfo_endpoint']

/** OpenID Connect Discovery 1.0. */
export function createDiscover(clock: Clock, trustedOrigins: ReadonlySet<string>): Discover {
  const documents = keepFetches<Server>(maxDocuments, clock)

  const find = async (issuer: string, read: () => Promise<Server>): Promise<Server> => {
    const known = documents.get(issuer)
    if (!known) return documents.fetch(issuer, read)
    const [age, sinceTry] = [clock.now() - known.fetchedAt, clock.now() - known.triedAt]
    if (age < freshMs || (age < usableMs && sinceTry < nextTryMs)) return known.value
    const reading = documents.fetch(issuer, read)
    return age < usableMs ? reading.catch(() => known.value) : reading
  }

  return async (issuer, fits, fetch) => {
    const check = (server: Server) => {
      if (!fits(server.issuer)) throw wrong('names another issuer')
      return server
    }
    // Whether it fits is a matter of the credential: of what does not, no other credential is told.
    const read = async () => check(await askForDocument(issuer, fetch, trustedOrigins))
    // What another credential had read need not fit this one.
    return check(await find(issuer, read))
  }
}

const wrong = (what: string) => new ProviderFailure('oidc_provider_error', `discovery: ${what}`)

async function askForDocument(issuer: string, fetch: ProviderFetch, trustedOrigins: ReadonlySet<string>) {
  try {
    return readDocument(await fetchDocument(issuer, fetch), trustedOrigins)
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    const { word, message, trace, waitMs } = error
    throw new ProviderFailure(word, message, { trace, waitMs: Math.max(waitMs, leastRestMs) })
  }
}

/** A tenant or an organization that is not there is answered with a status of its own. */
async function fetchDocument(issuer: string, fetch: ProviderFetch): Promise<JsonObject> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const answer = await fetch('discovery', { url, headers: { accept: 'application/json' } })
  if (answer.status >= 400) throw new ProviderFailure('credential_misconfigured', `discovery: HTTP ${answer.status}`)
  const document = answer.status === 200 ? parseJson('discovery', answer) : undefined
  if (!isObject(document)) throw wrong(`HTTP ${answer.status} without a document`)
  return document
}

/** Only what is used is kept. */
function readDocument(document: JsonObject, trustedOrigins: ReadonlySet<string>): Server {
  const { issuer, authorization_response_iss_parameter_supported } = document
  if (typeof issuer !== 'string' || issuer.length > maxUrlLength) throw wrong('no issuer')
  const given = endpoints.filter((name) => document[name] != null || !optional.includes(name))
  for (const name of given) if (!isEndpoint(document[name], trustedOrigins)) throw wrong(`no usable ${name}`)
  return {
    issuer,
    ...(Object.fromEntries(given.map((name) => [name, document[name]])) as Record<(typeof endpoints)[number], string>),
    authorization_response_iss_parameter_supported: authorization_response_iss_parameter_supported === true,
  }
}

function isEndpoint(value: unknown, trustedOrigins: ReadonlySet<string>): boolean {
  const url = typeof value === 'string' && value.length <= maxUrlLength ? URL.parse(value) : null
  return url !== null && mayBeCalled(url, trustedOrigins)
}
