import { type Static, Type } from 'typebox'
import { named, Timestamp, Uuid } from '../../ground/http/chain/schemas.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'

/** The name of the trigger (2.5). */
export const tokenMinted = 'token_minted'

const Handle = Type.Object(
  {
    type: Type.Enum(['EmailAddress', 'PhoneNumber'], { description: 'How `value` is to be read.' }),
    value: Type.String({ description: 'The address itself.', examples: ['jo@example.com'] }),
  },
  { description: 'The handle that the provider named.' },
)

const Authentication = Type.Object(
  {
    handle: Type.Optional(Handle),
    method: Type.String({ description: 'How: `oidc`.', examples: ['oidc'] }),
    timestamp: { ...Timestamp, description: 'When.' },
  },
  { description: 'One time that the person proved who they are.' },
)

const RequestMetadata = Type.Object(
  {
    client_ip_address: Type.String({ description: 'The address that it came from.', examples: ['192.0.2.1'] }),
    user_agent: Type.String({
      description: "The browser's `User-Agent` header.",
      examples: ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'],
    }),
    origin: Type.Optional(
      Type.String({ description: 'The origin of the application.', examples: ['https://app.example.com'] }),
    ),
  },
  { description: 'The request of the browser that signs in.' },
)

/** The content of the trigger: what the token that is about to be minted will say. */
export const TokenMinted = named(
  'token_minted',
  Type.Object(
    {
      aud: Type.String({
        description: 'The application: its `client_id`; `signet-console` where a person signs in to the console.',
        examples: ['0199a3f2-5c00-7000-8000-0242ac120002'],
      }),
      sub: { ...Uuid, description: 'The person: the `person_id`.' },
      iss: Type.String({
        description: 'The issuer of the token; that of the webhook is another claim.',
        examples: ['https://id.example.com/oidc/0199a3f2-5c00-7000-8000-0242ac120002'],
      }),
      region: Type.String({ description: "The person's region.", examples: ['local'] }),
      first_token: Type.Boolean({ description: 'Whether it is the first token that the person ever gets.' }),
      authentications: Type.Array(Authentication, { description: 'How the person proved who they are.' }),
      groups_claim_name: Type.Literal('groups', { description: 'The claim that `groups` will be in.' }),
      groups: Type.Array(Type.String(), {
        description: 'The groups that the person is in.',
        examples: [['engineering']],
      }),
      request_metadata: RequestMetadata,
    },
    { description: 'What the token that is about to be minted will say.' },
  ),
)
export type TokenMinted = Static<typeof TokenMinted>

/** What made-up content has in common with that of a sign-in. */
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
