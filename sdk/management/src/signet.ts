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
    const client = createClient({
      baseUrl: baseUrl.replace(/\/+$/, ''),
      throwOnError: true,
      auth: ({ name }) => keyFor(name, options),
      fetch: createRetryingFetch(options.fetch ?? fetch, { retries, timeoutMs }),
      // A redirect would carry the key elsewhere.
      redirect: 'error',
    })
    client.interceptors.error.use((cause, reply) => new SignetError(cause, reply))
    super({ client })
  }
}

/** By the header of the security scheme. */
function keyFor(name: string | undefined, { organizationId, apiKey, operatorKey }: SignetOptions): string | undefined {
  if (name === 'Service-OrgID') return organizationId
  if (name === 'Service-API-Key') return apiKey
  return name === 'Service-Operator-Key' ? operatorKey : undefined
}
