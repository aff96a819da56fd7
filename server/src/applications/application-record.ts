import { Type } from 'typebox'
import { notFound } from '../errors.ts'
import { CreatedAt, idInPath, named, Uuid } from '../http/schemas.ts'
import { isUuid } from '../runtime/identifiers.ts'
import { applicationFields } from './application-fields.ts'
import type { Application } from './application-store.ts'

const recordFields = {
  client_id: { ...Uuid, description: 'The OpenID Connect client id.' },
  ...applicationFields,
  created_at: CreatedAt,
}
export const ApplicationRecord = named(
  'Application',
  Type.Object(recordFields, { description: 'What the persons of an organization sign in to.' }),
)

/** The answer to what may have made a secret. */
export const ApplicationWithSecret = named(
  'ApplicationWithSecret',
  Type.Object(
    {
      ...recordFields,
      client_secret: Type.Optional(
        Type.String({
          description: 'Shown this once: when a confidential application is created, or becomes confidential.',
          examples: ['0Zr5Xf1mB3lU7kE9aVbQ2nT4yHs6wGdJ8pRcKxLqNvI'],
        }),
      ),
    },
    { description: 'An application, with the secret that it got.' },
  ),
)

export const toRecord = ({ client_secret_hash, ...shown }: Application) => shown

export const ApplicationPath = Type.Object({ client_id: idInPath('The client id of the application.') })

/** What is no UUID names no application. */
export function clientIdIn({ client_id }: { client_id: string }): string {
  if (!isUuid(client_id)) throw noSuchApplication()
  return client_id.toLowerCase()
}

export const noSuchApplication = () => notFound('application')
