import { Type } from 'typebox'
import { Timestamp, Uuid } from '../http/schemas.ts'

export const IdentityRecord = Type.Object({
  id: Uuid,
  provider: Type.String({ description: 'One of provider_a to provider_h.' }),
  issuer: Type.String({ description: 'Where the provider knows the person.' }),
  subject: Type.String({ description: 'What the provider calls the person, for good.' }),
  email: Type.Optional(Type.String({ description: 'As the provider told it last. It proves nothing.' })),
  created_at: Timestamp,
})
