import type { TokenMinted } from '../../delivery/hooks/index.ts'
import { consoleClientId, issuerOf } from '../issuer/index.ts'
import type { ClientContext } from './authentication-events.ts'
import type { Dependencies } from './dependencies.ts'
import { SignInFailure } from './end-sign-in.ts'

type HookInput = {
  organizationId: string
  clientId: string
  client: ClientContext
  person: { personId: string; region: string; groups: string[] }
  /** False for a new person, who is stored when the sign-in is committed. */
  isStored: boolean
  /** Whether the person never got a token before. */
  isFirst: boolean
  authentications: TokenMinted['authentications']
}

/** At the console, for all hooks of a sign-in together: whoever can mend one that is down or slow must get in. */
const consoleWaitMs = 2_000

/** Gives the claims that the hooks add; none at the console, which has no token. No transaction may be open. Throws a `SignInFailure` if the hooks refuse or fail. */
export async function runHooks(input: HookInput, { runTokenMinted, baseUrl }: Dependencies) {
  const { organizationId, clientId, client, person, isStored, isFirst, authentications } = input
  const isOfConsole = clientId === consoleClientId
  const run = await runTokenMinted({
    organizationId,
    ...(isOfConsole && { mayFailAfterMs: consoleWaitMs }),
    content: {
      aud: clientId,
      sub: person.personId,
      iss: issuerOf(baseUrl, organizationId),
      region: person.region,
      first_token: isFirst,
      authentications,
      groups_claim_name: 'groups',
      groups: person.groups,
      request_metadata: metadataOf(client),
    },
  })
  if (run.outcome === 'succeeded') return isOfConsole ? {} : run.claims
  const known = isStored ? { person } : {}
  if (run.outcome === 'failed') throw new SignInFailure('sync_hook_failed', `token_minted: ${run.detail}`, known)
  const { reason } = run.refusal
  throw new SignInFailure('sync_hook_denied', `token_minted: ${run.detail}`, { ...known, reason })
}

/** The origin is that of the application's page, if the browser sent a `Referer`. */
function metadataOf({ clientAddress, userAgent, windowLocation }: ClientContext): TokenMinted['request_metadata'] {
  const origin = URL.parse(windowLocation)?.origin
  return { client_ip_address: clientAddress, user_agent: userAgent, ...(origin && { origin }) }
}
