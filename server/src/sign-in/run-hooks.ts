import type { TokenMinted } from '../hooks/index.ts'
import { issuerOf } from '../issuer/index.ts'
import type { Dependencies } from './dependencies.ts'
import { SignInFailure } from './failure.ts'
import type { Visit } from './visit.ts'

type Fired = {
  organizationId: string
  clientId: string
  visit: Visit
  person: { personId: string; region: string; groups: string[] }
  /** Whether the person is stored already. */
  isKnown: boolean
  /** Whether the person never got a token before. */
  isFirst: boolean
  authentications: TokenMinted['authentications']
}

/** The claims that the hooks add. No transaction may be open. Throws a `SignInFailure` when they let nobody in. */
export async function runHooks(fired: Fired, { runTokenMinted, baseUrl }: Dependencies) {
  const { organizationId, clientId, visit, person, isKnown, isFirst, authentications } = fired
  const run = await runTokenMinted({
    organizationId,
    content: {
      aud: clientId,
      sub: person.personId,
      iss: issuerOf(baseUrl, organizationId),
      region: person.region,
      first_token: isFirst,
      authentications,
      groups_claim_name: 'groups',
      groups: person.groups,
      request_metadata: metadataOf(visit),
    },
  })
  if (run.outcome === 'succeeded') return run.claims
  throw new SignInFailure('sync_hook_failed', `token_minted: ${run.detail}`, isKnown ? person : undefined)
}

/** The origin is that of the page from which the application sent the browser, where the browser told it. */
function metadataOf({ clientAddress, userAgent, windowLocation }: Visit): TokenMinted['request_metadata'] {
  const origin = URL.parse(windowLocation)?.origin
  return { client_ip_address: clientAddress, user_agent: userAgent, ...(origin && { origin }) }
}
