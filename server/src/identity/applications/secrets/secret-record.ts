import { Type } from 'typebox'
import { conflict, notFound } from '../../../ground/errors.ts'
import { CreatedAt, idInPath, named, Timestamp, Uuid } from '../../../ground/http/chain/schemas.ts'
import type { ClientSecret } from '../client-secret.ts'

export const ExpiresAt = {
  ...Timestamp,
  description: 'From then on the secret is refused. Absent: it does not expire.',
  examples: ['2037-01-01T00:00:00.000Z'],
}
const recordFields = {
  id: { ...Uuid, description: 'The id of the secret, which is not the secret itself.' },
  created_at: CreatedAt,
  expires_at: Type.Optional(ExpiresAt),
}

export const ClientSecretRecord = named(
  'ClientSecret',
  Type.Object(recordFields, { description: 'A client secret of an application, without the secret itself.' }),
)

export const CreatedClientSecret = named(
  'CreatedClientSecret',
  Type.Object(
    {
      client_id: { ...Uuid, description: 'The application.' },
      ...recordFields,
      client_secret: Type.String({
        description: 'The secret itself, which is shown this once.',
        examples: ['signet_secret_0Zr5Xf1mB3lU7kE9aVbQ2nT4yHs6wGdJ8pRcKxLqNvI'],
      }),
    },
    { description: 'A new client secret.' },
  ),
)

export const SecretPath = Type.Object({
  client_id: idInPath('The client id of the application.'),
  secret_id: idInPath('The id of the secret, not the secret itself.'),
})

/** What does not expire says nothing of it. */
export const toSecretRecord = ({ id, created_at, expires_at }: ClientSecret) => ({
  id,
  created_at,
  ...(expires_at && { expires_at }),
})

export const noSuchSecret = () => notFound('client secret')
export const isPublic = () =>
  conflict('application_is_public', 'confidential: must be true, for a public application has no client secret')
