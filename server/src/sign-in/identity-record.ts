import { Type } from 'typebox'
import { named, Timestamp, Uuid } from '../http/schemas.ts'

export const IdentityRecord = named(
  'Identity',
  Type.Object(
    {
      id: { ...Uuid, description: 'The id of the identity.' },
      provider: Type.String({ description: 'One of provider_a to provider_h.', examples: ['provider_a'] }),
      issuer: Type.String({
        description: 'Where the provider knows the person.',
        examples: ['https://accounts.google.com'],
      }),
      subject: Type.String({
        description: 'What the provider calls the person, for good.',
        examples: ['117926493081204417953'],
      }),
      email: Type.Optional(
        Type.String({ description: 'As the provider told it last. It proves nothing.', examples: ['jo@example.com'] }),
      ),
      created_at: { ...Timestamp, description: 'When the person first signed in with it.' },
    },
    { description: 'What an identity provider calls a person.' },
  ),
)
