import { Type } from 'typebox'
import { notFound } from '../errors.ts'
import { Timestamp, Uuid } from '../http/schemas.ts'
import { isUuid } from '../identifiers.ts'
import { applicationFields } from './application-fields.ts'
import type { Application } from './application-store.ts'

export const ApplicationRecord = Type.Object({ client_id: Uuid, ...applicationFields, created_at: Timestamp })

/** The answer to what may have made a secret. */
export const ApplicationWithSecret = Type.Object({
  ...ApplicationRecord.properties,
  client_secret: Type.Optional(
    Type.String({
      description: 'Shown this once: when a confidential application is created, or becomes confidential.',
    }),
  ),
})

export const toRecord = ({ client_secret_hash, ...shown }: Application) => shown

export const ApplicationPath = Type.Object({ client_id: Type.String({ description: 'The application.' }) })

/** What is no UUID names no application. */
export function clientIdIn({ client_id }: { client_id: string }): string {
  if (!isUuid(client_id)) throw noSuchApplication()
  return client_id.toLowerCase()
}

export const noSuchApplication = () => notFound('application')
