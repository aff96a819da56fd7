import { Type } from 'typebox'
import type { Database } from '../../../ground/database/database.ts'
import { noOpenLink } from '../../../ground/errors.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { closed, named, Timestamp } from '../../../ground/http/chain/schemas.ts'
import type { CallerLimit } from '../../../ground/http/socket/rate-limit.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { shownName } from '../../../ground/runtime/shown-name.ts'
import { createTokenAttempts, findOrganization, LinkToken, refuseIfMoving } from '../../organizations/index.ts'
import { scimUrl, scimUrlOf } from '../directory-record.ts'
import { findDirectory } from '../directory-store.ts'
import { findOpenLink } from './link-store.ts'
import { links } from './links.ts'

const OpenedLink = named(
  'OpenedDirectoryLink',
  Type.Object(
    {
      organization_name: Type.String({ description: 'Whose link it is.', examples: ['Example'] }),
      directory_name: Type.String({ description: 'Of which directory.', examples: ['Corp staff'] }),
      scim_url: scimUrl,
      expires_at: { ...Timestamp, description: 'From then on nobody can use it.' },
    },
    { description: 'What somebody needs to know who uses a directory link.' },
  ),
)

type Dependencies = { database: Database; clock: Clock; baseUrl: string; callerLimit: CallerLimit }

export const openLink = ({ database, clock, baseUrl, callerLimit }: Dependencies) => {
  const attempts = createTokenAttempts({ database, clock }, links)
  return operation({
    id: 'openDirectoryLink',
    method: 'POST',
    path: '/console/directory-link',
    access: 'link',
    tag: 'Directories',
    summary: 'Open a directory link',
    description:
      'What the page of a link shows: the token is what follows the number sign of its `url`. No key is needed, and opening a ' +
      'link does not use it up.\n\nAfter twenty attempts with made-up tokens from one address in an hour: 429.',
    body: closed({ token: LinkToken }),
    result: OpenedLink,
    refusals: [429],
    callerLimit,
    handle: ({ body: { token }, caller }) =>
      attempts(token, caller.clientAddress, async ({ organizationId, hash }) => {
        const [organization, link] = await Promise.all([
          findOrganization(database.read, organizationId),
          findOpenLink(database.read, organizationId, hash, toTimestamp(clock.now())),
        ])
        if (!organization) await refuseIfMoving(database.read, organizationId)
        const directory = link && (await findDirectory(database.read, organizationId, link.directory_id))
        if (!organization || !link || !directory) throw noOpenLink()
        const names = { organization_name: shownName(organization.name), directory_name: shownName(directory.name) }
        return { ...names, scim_url: scimUrlOf(baseUrl, organizationId), expires_at: link.expires_at }
      }),
  })
}
