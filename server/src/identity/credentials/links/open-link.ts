import { Type } from 'typebox'
import type { Database } from '../../../ground/database/database.ts'
import { noOpenLink } from '../../../ground/errors.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { closed, named } from '../../../ground/http/chain/schemas.ts'
import type { CallerLimit } from '../../../ground/http/socket/rate-limit.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { shownName } from '../../../ground/runtime/shown-name.ts'
import { createTokenAttempts, findOrganization, LinkToken, refuseIfMoving } from '../../organizations/index.ts'
import { describeOptions, Options } from '../index.ts'
import { linkFields, toRecord } from './link-record.ts'
import { findOpenLink } from './link-store.ts'
import { links } from './links.ts'

const OpenedLink = named(
  'OpenedCredentialLink',
  Type.Object(
    {
      organization_name: Type.String({ description: 'Whose link it is.', examples: ['Example'] }),
      ...linkFields,
      scopes: Type.Array(Type.String(), {
        description: 'The scopes that are always requested from the provider.',
        examples: [['openid', 'email', 'profile']],
      }),
      options: Options,
      required_options: Type.Array(Type.String(), {
        description: 'The options that must be given.',
        examples: [['organization_url']],
      }),
    },
    { description: 'What somebody needs to know who uses a credential link. The options are those by default.' },
  ),
)

type Dependencies = { database: Database; clock: Clock; baseUrl: string; callerLimit: CallerLimit }

export const openLink = ({ database, clock, baseUrl, callerLimit }: Dependencies) => {
  const attempts = createTokenAttempts({ database, clock }, links)
  return operation({
    id: 'openCredentialLink',
    method: 'POST',
    path: '/console/link',
    access: 'link',
    tag: 'SSO credentials',
    summary: 'Open a credential link',
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
        if (!organization || !link) throw noOpenLink()
        const { provider, label, callback_url } = toRecord(link, baseUrl)
        const names = { organization_name: shownName(organization.name), label: shownName(label) }
        return { ...names, provider, callback_url, ...describeOptions(provider) }
      }),
  })
}
