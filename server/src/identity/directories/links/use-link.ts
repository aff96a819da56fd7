import { Type } from 'typebox'
import type { Database, Transaction } from '../../../ground/database/database.ts'
import { noOpenLink } from '../../../ground/errors.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import type { Change, RecordChange } from '../../../ground/http/chain/recorded-change.ts'
import { closed, named } from '../../../ground/http/chain/schemas.ts'
import type { CallerLimit } from '../../../ground/http/socket/rate-limit.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { createTokenAttempts, findOrganization, LinkToken, refuseIfMoving } from '../../organizations/index.ts'
import { scimUrl, scimUrlOf } from '../directory-record.ts'
import { lockDirectory } from '../directory-store.ts'
import { addToken } from '../tokens/add-token.ts'
import { shownToken } from '../tokens/token-record.ts'
import { type Link, takeOpenLink } from './link-store.ts'
import { links } from './links.ts'

const LinkedToken = named(
  'LinkedDirectoryToken',
  Type.Object(
    { scim_url: scimUrl, token: shownToken },
    { description: "What is entered at the customer's directory; the token is shown this once." },
  ),
)

type Dependencies = { database: Database; clock: Clock; baseUrl: string; callerLimit: CallerLimit }

/** Whatever is refused rolls back, and leaves the link open. */
export const useLink = ({ database, clock, baseUrl, callerLimit }: Dependencies) => {
  const attempts = createTokenAttempts({ database, clock }, links)
  return operation({
    id: 'useDirectoryLink',
    method: 'POST',
    path: '/console/directory-link/token',
    access: 'link',
    tag: 'Directories',
    summary: 'Make a token through a link',
    description:
      'No key is needed. The token has the name of the link and does not expire. The link is used up; what is refused leaves it open.\n\n' +
      'After twenty attempts with made-up tokens from one address in an hour: 429.',
    body: closed({ token: LinkToken }),
    status: 201,
    result: LinkedToken,
    refusals: [409, 429],
    callerLimit,
    handle: ({ body: { token: linkToken }, caller, record }) =>
      attempts(linkToken, caller.clientAddress, ({ organizationId, hash }) =>
        database.transaction(async (tx) => {
          const now = clock.now()
          const link = await takeOpenLink(tx, organizationId, hash, toTimestamp(now))
          await refuseIfMoving(tx, organizationId)
          if (!link || !(await findOrganization(tx, organizationId))) throw noOpenLink()
          if (!(await lockDirectory(tx, organizationId, link.directory_id))) throw noOpenLink()
          const given = { name: link.name, expires_at: null }
          const adding = { now, record: recordedAs(link, record) }
          const { token } = await addToken(tx, organizationId, link.directory_id, given, adding)
          return { scim_url: scimUrlOf(baseUrl, organizationId), token }
        }),
      ),
  })
}

const recordedAs =
  ({ id, name }: Link, record: RecordChange) =>
  (tx: Transaction, organizationId: string, change: Change) =>
    record(tx, organizationId, { ...change, actor: { type: 'link', id, name } })
