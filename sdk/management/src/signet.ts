import { type FollowedEvent, type FollowOptions, followEvents } from './follow-events.ts'
import { createClient } from './generated/client/index.ts'
import { Operations } from './generated/sdk.gen.ts'
import { createRetryingFetch } from './retrying-fetch.ts'
import { SignetError } from './signet-error.ts'

/** Longer than the longest wait that an operation may be asked for, 120 s for `all_regions`. */
const defaultTimeoutMs = 130_000
const defaultRetries = 3

export type SignetOptions = {
  /** Where Signet is, such as `https://id.example.com`: its `SIGNET_BASE_URL`. */
  baseUrl: string
  organizationId?: string
  apiKey?: string
  /** For the operations of the operator, such as `createOrganization`. */
  operatorKey?: string
  /** How often a request that is safe to repeat is sent again; 0 for never. Default: 3. */
  retries?: number
  /** Milliseconds that one request may take. Default: 130,000. */
  timeoutMs?: number
  /** What sends requests; default: the `fetch` of the platform. */
  fetch?: typeof fetch
}

/**
 * The management interface of one Signet: a method for each operation, named by its operation id. Each gives the body of
 * the reply and throws a `SignetError` where it failed.
 */
export class Signet extends Operations {
  constructor(options: SignetOptions) {
    const { baseUrl, retries = defaultRetries, timeoutMs = defaultTimeoutMs } = options
    if (!URL.canParse(baseUrl) || !/^https?:/i.test(baseUrl))
      throw new TypeError('baseUrl: must be an address such as https://id.example.com')
    const client = createClient({
      baseUrl: baseUrl.replace(/\/+$/, ''),
      throwOnError: true,
      auth: ({ name }) => keyFor(name, options),
      fetch: createRetryingFetch(options.fetch ?? fetch, { retries, timeoutMs }),
      // One that is followed would carry the key elsewhere.
      redirect: 'manual',
      requestValidator: requireSegments,
      responseValidator: requireEnvelope,
    })
    client.interceptors.response.use(requireType)
    client.interceptors.error.use((cause, reply, request) =>
      isOfCaller(cause, request) ? cause : new SignetError(cause, reply),
    )
    super({ client })
  }

  /** Every event of the feed, those that are there and then those that come, for `for await`. See `followEvents` in the README. */
  followEvents(options: FollowOptions = {}): AsyncGenerator<FollowedEvent, void> {
    const security = ['Service-OrgID', 'Service-API-Key'].map((name) => ({ name, type: 'apiKey' as const }))
    return followEvents(async (question) => {
      const asked = await this.client.get({
        url: '/events',
        parseAs: 'stream',
        security,
        throwOnError: true,
        ...question,
      })
      return asked.response
    }, options)
  }
}

/** An argument with which no request could be made, and what the caller's own signal ended, are thrown as the platform has them. */
const isOfCaller = (cause: unknown, request: Request | undefined) =>
  !request || (request.signal.aborted && cause === request.signal.reason)

/** An address would drop them: what is asked of `/groups/../persons/7` is asked of `/persons/7`. */
async function requireSegments(request: unknown) {
  const { url, path = {} } = request as { url: string; path?: Record<string, unknown> }
  for (const [, name = ''] of url.matchAll(/\{(\w+)\}/g))
    if (/^\.{0,2}$/.test(String(path[name] ?? ''))) throw new TypeError(`${name}: must not be empty, "." or ".."`)
}

/** A proxy that answers in place of Signet may call it a success. */
function requireType(reply: Response, { method }: Request): Response {
  const type = reply.headers.get('Content-Type') ?? ''
  if (reply.ok && method === 'GET' && (reply.status === 204 || reply.headers.get('Content-Length') === '0'))
    throw new TypeError('the reply is empty')
  if (reply.ok && reply.status !== 204 && !/json|protobuf|event-stream/.test(type))
    throw new TypeError(`the reply has the type "${type}"`)
  return reply
}

async function requireEnvelope(body: unknown) {
  const members = typeof body === 'object' && body && !Array.isArray(body) ? Object.keys(body) : ['']
  if (members.length > 0 && !members.includes('result') && !members.includes('keys'))
    throw new TypeError('the reply has no `result`')
}

/** By the header of the security scheme. */
function keyFor(name: string | undefined, options: SignetOptions): string | undefined {
  if (name === 'Service-OrgID') return checked(options, 'organizationId')
  if (name === 'Service-API-Key') return checked(options, 'apiKey')
  return name === 'Service-Operator-Key' ? checked(options, 'operatorKey') : undefined
}

/** The platform's own complaint of such a header shows its value. */
function checked(options: SignetOptions, name: 'organizationId' | 'apiKey' | 'operatorKey'): string | undefined {
  const value = options[name]?.trim()
  if (value && !/^[!-~]+$/.test(value)) throw new TypeError(`${name}: must be printable ASCII without blanks`)
  return value
}
