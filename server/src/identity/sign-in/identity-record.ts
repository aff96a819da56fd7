import { Type } from 'typebox'
import { named, Timestamp, Uuid } from '../../ground/http/chain/schemas.ts'
import type { Identity } from '../persons/index.ts'

export const IdentityRecord = named(
  'Identity',
  Type.Object(
    {
      id: { ...Uuid, description: 'The id of the identity.' },
      provider: Type.String({ description: 'One of provider_a to provider_h, or oidc.', examples: ['provider_a'] }),
      issuer: Type.String({
        description: 'The issuer of the identity at the provider.',
        examples: ['https://accounts.google.com'],
      }),
      subject: Type.String({
        description: 'The permanent id of the person at the issuer.',
        examples: ['117926493081204417953'],
      }),
      email: Type.Optional(
        Type.String({
          description: 'The address that the provider sent last. It proves nothing.',
          examples: ['jo@example.com'],
        }),
      ),
      created_at: { ...Timestamp, description: 'When the person first signed in with it, or a key added it.' },
    },
    { description: 'A person as an identity provider knows them.' },
  ),
)

export const toIdentity = ({ email, ...identity }: Identity) => ({ ...identity, ...(email !== null && { email }) })
