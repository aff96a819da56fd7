import { Type } from 'typebox'
import { Uuid } from '../../../ground/http/chain/schemas.ts'

/** The claims of 6.3 that do not depend on the trigger. */
export const claimFields = {
  jti: { ...Uuid, description: 'Of this attempt alone.' },
  aud: { ...Uuid, description: 'The organization. Receivers check it.' },
  sub: {
    ...Uuid,
    description: 'The event, or the run of the hook: the same in each attempt, so that receivers know what they had.',
  },
  iss: Type.String({
    description: 'The base URL of this service. Receivers check it.',
    examples: ['https://id.example.com'],
  }),
  iat: Type.Integer({ description: 'When the request was made, in seconds since 1970.', examples: [1764063000] }),
  exp: Type.Integer({
    description: 'Five minutes after `iat`: from then on receivers refuse the request.',
    examples: [1764063300],
  }),
  webhook_id: { ...Uuid, description: 'The webhook.' },
  target_url: Type.String({
    description: 'The URL that is called. Receivers check it.',
    examples: ['https://receiver.example.com/hook'],
  }),
}
