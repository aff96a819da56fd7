import { type Clock, toTimestamp } from '../clock.ts'
import { makeId } from '../identifiers.ts'

/** The name of the trigger (2.5). */
export const tokenMinted = 'token_minted'

/** Its content: what the token that is about to be minted will say. */
export type TokenMinted = {
  /** The application, its `client_id`. */
  aud: string
  /** The person. */
  sub: string
  /** Issuer of the token, not of the hook's JWT. */
  iss: string
  region: string
  /** Whether it is the first token that the person ever gets. */
  first_token: boolean
  authentications: {
    handle?: { type: 'EmailAddress' | 'PhoneNumber'; value: string }
    method: string
    /** RFC 3339. */
    timestamp: string
  }[]
  /** The claim that `groups` will be in. */
  groups_claim_name: 'groups'
  groups: string[]
  request_metadata: { client_ip_address: string; user_agent: string; origin?: string }
}

/** What made-up content is like that of a sign-in here. */
export type MadeUp = { clock: Clock; region: string; issuerOf: (organizationId: string) => string }

/** For a dry run: nobody signs in. */
export function madeUpContent(
  organizationId: string,
  { clock, region, issuerOf }: MadeUp,
): TokenMinted & { is_test: true } {
  const now = clock.now()
  return {
    is_test: true,
    aud: makeId(now),
    sub: makeId(now),
    iss: issuerOf(organizationId),
    region,
    first_token: true,
    authentications: [
      { handle: { type: 'EmailAddress', value: 'jo@example.com' }, method: 'oidc', timestamp: toTimestamp(now) },
    ],
    groups_claim_name: 'groups',
    groups: ['staff'],
    request_metadata: { client_ip_address: '192.0.2.1', user_agent: 'Dry run', origin: 'https://app.example.com' },
  }
}
