import type { Clock } from '../../ground/runtime/clock.ts'
import type { Discover, Server } from './connector.ts'
import { ProviderFailure } from './failure.ts'
import { createFetchCache } from './fetch-cache.ts'
import { isObject, type JsonObject, mayBeCalled, type ProviderFetch, parseJson } from './provider-fetch.ts'

const maxDocuments = 1_000
const maxUrlLength = 2_048
const freshMs = 3_600_000
/** How long a document is used while no newer one can be fetched. */
const usableMs = 24 * 3_600_000
/** How often a newer one is tried then. */
const retryMs = 60_000
/** Anybody may follow links to sign in, each of which would call a failing provider. */
const minCooldownMs = 1_000

const endpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'] as const
const optional: string[] = ['userinfo_endpoint']
const lists = ['id_token_signing_alg_values_supported', 'token_endpoint_auth_methods_supported'] as const
/** More are not read. */
const maxItems = 50

/** OpenID Connect Discovery 1.0. */
export function createDiscover(clock: Clock, trustedOrigins: ReadonlySet<string>): Discover {
  const documents = createFetchCache<Server>(maxDocuments, clock)

  const find = async (issuer: string, read: () => Promise<Server>): Promise<Server> => {
    const known = documents.get(issuer)
    if (!known) return documents.fetch(issuer, read)
    const [age, sinceAttempt] = [clock.now() - known.fetchedAt, clock.now() - known.attemptedAt]
    if (age < freshMs || (age < usableMs && sinceAttempt < retryMs)) return known.value
    const reading = documents.fetch(issuer, read)
    return age < usableMs ? reading.catch(() => known.value) : reading
  }

  return async (issuer, isAllowed, fetch) => {
    const check = (server: Server) => {
      if (!isAllowed(server.issuer)) throw malformed('names another issuer')
      return server
    }
    // The rule depends on the credential: a document that breaks it is not cached for others, …
    const read = async () => check(await requestDocument(issuer, fetch, trustedOrigins))
    // … and one cached by another credential may break it.
    return check(await find(issuer, read))
  }
}

const malformed = (problem: string) => new ProviderFailure('oidc_provider_error', 'discovery', problem)

async function requestDocument(issuer: string, fetch: ProviderFetch, trustedOrigins: ReadonlySet<string>) {
  try {
    return readDocument(await fetchDocument(issuer, fetch), trustedOrigins)
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    const { code, step, problem, trace, waitMs } = error
    throw new ProviderFailure(code, step, problem, { trace, waitMs: Math.max(waitMs, minCooldownMs) })
  }
}

/** A 4XX status means that the tenant or organization does not exist. */
async function fetchDocument(issuer: string, fetch: ProviderFetch): Promise<JsonObject> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const response = await fetch('discovery', { url, headers: { accept: 'application/json' } })
  if (response.status >= 400)
    throw new ProviderFailure('credential_misconfigured', 'discovery', `HTTP ${response.status}`)
  const document = response.status === 200 ? parseJson('discovery', response) : undefined
  if (!isObject(document)) throw malformed(`HTTP ${response.status} without a document`)
  return document
}

/** Gives the members that are used. */
function readDocument(document: JsonObject, trustedOrigins: ReadonlySet<string>): Server {
  const { issuer, authorization_response_iss_parameter_supported } = document
  if (typeof issuer !== 'string' || issuer.length > maxUrlLength) throw malformed('no issuer')
  const present = endpoints.filter((name) => document[name] != null || !optional.includes(name))
  for (const name of present) if (!isEndpoint(document[name], trustedOrigins)) throw malformed(`no usable ${name}`)
  return {
    issuer,
    ...(Object.fromEntries(present.map((name) => [name, document[name]])) as Record<
      (typeof endpoints)[number],
      string
    >),
    authorization_response_iss_parameter_supported: authorization_response_iss_parameter_supported === true,
    ...Object.fromEntries(lists.flatMap((name) => entryOf(name, document[name]))),
  }
}

const entryOf = (name: string, value: unknown): [string, string[]][] =>
  Array.isArray(value) ? [[name, value.slice(0, maxItems).filter((item) => typeof item === 'string')]] : []

function isEndpoint(value: unknown, trustedOrigins: ReadonlySet<string>): boolean {
  const url = typeof value === 'string' && value.length <= maxUrlLength ? URL.parse(value) : null
  return url !== null && mayBeCalled(url, trustedOrigins)
}
