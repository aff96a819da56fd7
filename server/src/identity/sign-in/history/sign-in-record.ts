import { Type } from 'typebox'
import { named, Timestamp, Uuid } from '../../../ground/http/chain/schemas.ts'
import { timeOf } from '../../../ground/runtime/identifiers.ts'
import { handleTypes } from '../../persons/index.ts'
import { failureCodes, succeeded } from '../authentication-events.ts'

export const statuses = ['succeeded', 'failed'] as const

const optionalText = (description: string, ...examples: string[]) =>
  Type.Optional(Type.String({ description, examples }))

const Handle = Type.Object(
  {
    type: Type.Enum([...handleTypes], { description: 'What kind of address it is.' }),
    hash: Type.String({
      description:
        'The same for the same address in this organization, also in the audit log. It stays where the value goes.',
      examples: ['3Ld0m8sJc1yq0y0yS0Gd5w'],
    }),
    value: optionalText('As the provider wrote it. Absent once the person was deleted.', 'jo@example.com'),
    verified: Type.Boolean({ description: 'Whether the provider vouches for it, and is trusted to.' }),
  },
  {
    description:
      'The address that the provider told of whoever signed in. Only `person_id` says who that was: a provider tells what it likes. ' +
      'Absent where it told none, and where the session of a browser was used again.',
  },
)

export const SignInRecord = named(
  'SignIn',
  Type.Object(
    {
      event_id: { ...Uuid, description: 'The id of its event.' },
      at: { ...Timestamp, description: 'When it ended.' },
      status: Type.Enum([...statuses], { description: 'How it ended.' }),
      failure_reason: Type.Optional(
        Type.Enum([...failureCodes], { description: 'Why it failed. Absent where it succeeded.' }),
      ),
      person_id: Type.Optional({
        ...Uuid,
        description: 'Who signed in, and may have been deleted since. Absent where nobody was recognised.',
      }),
      handle: Type.Optional(Handle),
      provider: optionalText('The provider that was chosen: provider_a to provider_h, or oidc.', 'provider_a'),
      oauth_client_id: optionalText(
        'The credential that was chosen. Absent where none was, and once it is deleted.',
        '1234.apps.example.com',
      ),
      client_id: optionalText('The application that asked for it, or `signet-console`.'),
      client_ip_address: optionalText('The address that the browser came from.', '203.0.113.7'),
      user_agent: optionalText('What the browser calls itself.'),
    },
    {
      description: 'A sign-in that has ended: one for each AuthenticationSucceeded_v1 and AuthenticationFailed_v1.',
      examples: [
        {
          event_id: '0199a3f2-5c00-7000-8000-0242ac120003',
          at: '2026-11-25T09:30:00.000Z',
          status: 'failed',
          failure_reason: 'registration_not_allowed',
          handle: { type: 'EmailAddress', hash: '3Ld0m8sJc1yq0y0yS0Gd5w', value: 'jo@example.com', verified: true },
          provider: 'provider_a',
          oauth_client_id: '1234.apps.example.com',
          client_id: '0199a3f2-5c00-7000-8000-0242ac120006',
          client_ip_address: '203.0.113.7',
          user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        },
      ],
    },
  ),
)

export type SignInRow = {
  id: string
  payload: string
  outcome: string
  person_id: string | null
  provider: string | null
  credential_id: string | null
  client_id: string | null
  client_ip_address: string
  handle_type: string | null
  handle_hash: string | null
  handle_value: string | null
  handle_verified: boolean | null
}

/** `oauthClientIds`: by the ids of credentials. */
export function toRecord(row: SignInRow, oauthClientIds: Map<string, string>) {
  const hasSucceeded = row.outcome === succeeded
  const { browser_metadata: browser } = JSON.parse(row.payload) as { browser_metadata?: { user_agent: string } }
  return present({
    event_id: row.id,
    at: new Date(timeOf(row.id)).toISOString(),
    status: hasSucceeded ? 'succeeded' : 'failed',
    failure_reason: hasSucceeded ? null : row.outcome,
    person_id: row.person_id,
    handle: row.handle_type && handleOf(row),
    provider: row.provider,
    oauth_client_id: row.credential_id && oauthClientIds.get(row.credential_id),
    client_id: row.client_id,
    client_ip_address: row.client_ip_address,
    user_agent: browser?.user_agent,
  })
}

const handleOf = ({
  handle_type: type,
  handle_hash: hash,
  handle_value: value,
  handle_verified: verified,
}: SignInRow) => present({ type, hash, value, verified })

/** Without what there is none of. */
const present = (thing: object) =>
  Object.fromEntries(Object.entries(thing).filter(([, value]) => value !== null && value !== undefined && value !== ''))
