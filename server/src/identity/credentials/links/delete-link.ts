import { Type } from 'typebox'
import type { Database } from '../../../ground/database/database.ts'
import { notFound } from '../../../ground/errors.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { idInPath } from '../../../ground/http/chain/schemas.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { isUuid } from '../../../ground/runtime/identifiers.ts'
import { toRecord } from './link-record.ts'
import { closeOpenLink } from './link-store.ts'

type Dependencies = { database: Database; clock: Clock; baseUrl: string }

export const deleteLink = ({ database, clock, baseUrl }: Dependencies) =>
  operation({
    id: 'deleteCredentialLink',
    method: 'DELETE',
    path: '/organizations/sso/oidc/credential-links/:id',
    scope: 'credentials:write',
    tag: 'SSO credentials',
    summary: 'Delete a credential link',
    description: 'Nobody can use it any more.',
    params: Type.Object({ id: idInPath('The id of the link.') }),
    status: 204,
    handle: ({ organizationId, record, params: { id } }) =>
      database.transaction(async (tx) => {
        if (!isUuid(id)) throw noSuchLink()
        const link = await closeOpenLink(tx, organizationId, id, toTimestamp(clock.now()))
        if (!link) throw noSuchLink()
        const before = toRecord(link, baseUrl)
        await record(tx, organizationId, { target: { type: 'credential_link', id: link.id }, before })
      }),
  })

const noSuchLink = () => notFound('credential link')
