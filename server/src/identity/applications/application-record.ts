import { Type } from 'typebox'
import { notFound } from '../../ground/errors.ts'
import { CreatedAt, idInPath, named, Uuid } from '../../ground/http/chain/schemas.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import { applicationFields } from './application-fields.ts'
import type { Application } from './application-store.ts'

const recordFields = {
  client_id: { ...Uuid, description: 'The OpenID Connect client id.' },
  ...applicationFields,
  home_url: Type.Optional(applicationFields.home_url),
  backchannel_logout_uri: Type.Optional(applicationFields.backchannel_logout_uri),
  created_at: CreatedAt,
}
export const ApplicationRecord = named(
  'Application',
  Type.Object(recordFields, {
    description: 'An OpenID Connect client to which the persons of an organization sign in.',
  }),
)

/** The reply of operations that may create a secret. */
export const ApplicationWithSecret = named(
  'ApplicationWithSecret',
  Type.Object(
    {
      ...recordFields,
      client_secret: Type.Optional(
        Type.String({
          description:
            'Shown this once: when a confidential application is created, becomes confidential, or gets a new one.',
          examples: ['0Zr5Xf1mB3lU7kE9aVbQ2nT4yHs6wGdJ8pRcKxLqNvI'],
        }),
      ),
    },
    { description: 'An application, with its new secret if it got one.' },
  ),
)

/** What an application does not have is absent. */
export const toRecord = ({ secrets, home_url, backchannel_logout_uri, created_at, ...shown }: Application) => ({
  ...shown,
  ...(home_url !== null && { home_url }),
  ...(backchannel_logout_uri !== null && { backchannel_logout_uri }),
  created_at,
})

export const ApplicationPath = Type.Object({ client_id: idInPath('The client id of the application.') })

/** Throws a 404 for text that is no UUID. */
export function clientIdIn({ client_id }: { client_id: string }): string {
  if (!isUuid(client_id)) throw noSuchApplication()
  return client_id.toLowerCase()
}

export const noSuchApplication = () => notFound('application')
