import { Type } from 'typebox'
import type { Database } from '../../../ground/database/database.ts'
import { conflict } from '../../../ground/errors.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { closed, named, orAbsent } from '../../../ground/http/chain/schemas.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { makeId } from '../../../ground/runtime/identifiers.ts'
import { makeOrganizationToken } from '../../../ground/runtime/organization-token.ts'
import { hashOf } from '../../../ground/runtime/secret-hash.ts'
import { type IsOwner, linkLifetime, readLinkLifetime, requireStill } from '../../organizations/index.ts'
import { DirectoryPath, directoryIdIn, noSuchDirectory } from '../directory-record.ts'
import { lockDirectory } from '../directory-store.ts'
import { CreatedLink, linkFields, toRecord } from './link-record.ts'
import { countOpenLinks, forgetOldestClosed, insertLink } from './link-store.ts'

const maxLinks = 20

const NewLink = named(
  'NewDirectoryLink',
  closed({ name: Type.Optional(orAbsent(linkFields.name)), expires_in: linkLifetime }),
)

type Dependencies = { database: Database; clock: Clock; baseUrl: string; isOwner: IsOwner }

export const createLink = ({ database, clock, baseUrl, isOwner }: Dependencies) =>
  operation({
    id: 'createDirectoryLink',
    method: 'POST',
    path: '/organizations/directories/:id/links',
    scope: 'directories:write',
    adminOnly: true,
    recentSignIn: true,
    tag: 'Directories',
    summary: 'Create a directory link',
    description:
      'Send its `url`, which is shown this once, to the administrator of the customer: without a key, they make one token of this ' +
      `directory through it, and are shown the token and \`scim_url\`. A directory has at most ${maxLinks} open links (409).`,
    params: DirectoryPath,
    body: NewLink,
    rules: [({ body }) => readLinkLifetime(body.expires_in)],
    status: 201,
    result: CreatedLink,
    confidentialOf: 'id',
    refusals: [409],
    handle: async ({ organizationId, principal, record, params, body: { name, expires_in } }) => {
      const directory_id = directoryIdIn(params)
      const now = clock.now()
      const token = makeOrganizationToken(organizationId)
      const times = { created_at: new Date(now), expires_at: new Date(now + readLinkLifetime(expires_in)) }
      const link = { id: makeId(now), directory_id, name: name ?? null, ...times }
      await database.transaction(async (tx) => {
        if (!(await lockDirectory(tx, organizationId, directory_id))) throw noSuchDirectory()
        await requireStill(tx, organizationId, principal, isOwner)
        if ((await countOpenLinks(tx, organizationId, directory_id, toTimestamp(now))) >= maxLinks) throw tooManyLinks()
        await forgetOldestClosed(tx, organizationId, directory_id, toTimestamp(now))
        await insertLink(tx, organizationId, link, hashOf(token))
        const after = { directory_id, ...toRecord(link) }
        await record(tx, organizationId, { target: { type: 'directory_link', id: link.id }, after })
      })
      return { ...toRecord(link), url: `${baseUrl}/console/directory-link#${token}` }
    },
  })

const tooManyLinks = () =>
  conflict('limit_reached', `directory links: there are ${maxLinks} open ones already; delete one`)
