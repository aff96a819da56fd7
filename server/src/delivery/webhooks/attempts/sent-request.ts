import { type Static, Type } from 'typebox'
import { named } from '../../../ground/http/chain/schemas.ts'
import { sentHeaderNames } from '../../../ground/outbound/index.ts'
import { claimFields } from './claim-fields.ts'
import { claimsOf, type Invocation } from './request.ts'

const example = {
  kid: 'sQ4sJv7cQkL1m1dXQ0m2n5oX3zq0lq5G9Jt8y0cQY3A',
  claims: {
    jti: '0199a3f2-5c00-7000-8000-0242ac120005',
    aud: '0199a3f2-5c00-7000-8000-0242ac120001',
    sub: '0199a3f2-5c00-7000-8000-0242ac120003',
    iss: 'https://id.example.com',
    iat: 1764063000,
    exp: 1764063300,
    webhook_id: '0199a3f2-5c00-7000-8000-0242ac120002',
    target_url: 'https://receiver.example.com/hook',
    trigger_type: 'event',
    trigger_name: 'PersonCreated_v1',
  },
  header_names: ['X-Token', 'content-type', 'user-agent', 'accept-encoding', 'host', 'connection', 'content-length'],
}

export const SentRequestSchema = named(
  'SentRequest',
  Type.Object(
    {
      kid: Type.String({ description: 'The id of the key that signed it.' }),
      claims: Type.Object(
        {
          ...claimFields,
          trigger_type: Type.String({ description: 'The type of the trigger.' }),
          trigger_name: Type.String({ description: 'The name of the trigger.' }),
        },
        {
          description:
            'The claims of its JWT without `trigger_content`, which `GET /events/{event_id}` has for an event. `iss` is the ' +
            'base URL of today.',
        },
      ),
      header_names: Type.Array(Type.String(), {
        description:
          'The names of the headers: the custom ones, whose values nobody is shown here, then those of every request.',
      }),
    },
    { description: 'What an attempt sent.', examples: [example] },
  ),
)

/** `sent`: `iat` and `sentAlike`. */
export function showSent(
  sent: string,
  invocation: Omit<Invocation, 'targetUrl' | 'content'>,
  { iss, jti }: { iss: string; jti: string },
): Static<typeof SentRequestSchema> {
  const [iat, kid = '', targetUrl = '', ...custom] = sent.split(' ')
  const claims = claimsOf({ ...invocation, targetUrl }, { iss, jti, iat: Number(iat) })
  return { kid, claims, header_names: sentHeaderNames([...custom, 'content-type']) }
}
