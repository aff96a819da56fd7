import { Type } from 'typebox'
import type { Database } from '../../../ground/database/database.ts'
import { lockOrganization } from '../../../ground/database/lock-organization.ts'
import { conflict, keyNotValid } from '../../../ground/errors.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { closed, named, orAbsent } from '../../../ground/http/chain/schemas.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { makeId } from '../../../ground/runtime/identifiers.ts'
import { makeOrganizationToken } from '../../../ground/runtime/organization-token.ts'
import { hashOf } from '../../../ground/runtime/secret-hash.ts'
import { linkLifetime, readLinkLifetime } from '../../organizations/index.ts'
import { credentialFields } from '../index.ts'
import { CreatedLink, linkFields, toRecord } from './link-record.ts'
import { countOpenLinks, forgetOldestClosed, insertLink } from './link-store.ts'

const maxLinks = 100

const NewLink = named(
  'NewCredentialLink',
  closed({
    provider: credentialFields.provider,
    label: Type.Optional(orAbsent(linkFields.label)),
    expires_in: linkLifetime,
  }),
)

type Dependencies = { database: Database; clock: Clock; baseUrl: string }

export const createLink = ({ database, clock, baseUrl }: Dependencies) =>
  operation({
    id: 'createCredentialLink',
    method: 'POST',
    path: '/organizations/sso/oidc/credential-links',
    scope: 'credentials:write',
    adminOnly: true,
    tag: 'SSO credentials',
    summary: 'Create a credential link',
    description:
      'Send its `url`, which is shown this once, to the administrator of a customer: without a key, they create one credential ' +
      'of this provider through it, and read nothing. The credential is inactive until an admin key sets `active`. An ' +
      `organization has at most ${maxLinks} open links (409).`,
    body: NewLink,
    rules: [({ body }) => readLinkLifetime(body.expires_in)],
    status: 201,
    result: CreatedLink,
    confidentialOf: 'id',
    refusals: [409],
    handle: async ({ organizationId, record, body: { provider, label, expires_in } }) => {
      const now = clock.now()
      const token = makeOrganizationToken(organizationId)
      const times = { created_at: new Date(now), expires_at: new Date(now + readLinkLifetime(expires_in)) }
      const link = { id: makeId(now), provider, label: label ?? '', ...times }
      const after = toRecord(link, baseUrl)
      await database.transaction(async (tx) => {
        if (!(await lockOrganization(tx, organizationId))) throw keyNotValid()
        if ((await countOpenLinks(tx, organizationId, toTimestamp(now))) >= maxLinks) throw tooManyLinks()
        await forgetOldestClosed(tx, organizationId, toTimestamp(now))
        await insertLink(tx, organizationId, link, hashOf(token))
        await record(tx, organizationId, { target: { type: 'credential_link', id: link.id }, after })
      })
      return { ...after, url: `${baseUrl}/console/link#${token}` }
    },
  })

const tooManyLinks = () =>
  conflict('limit_reached', `credential links: there are ${maxLinks} open ones already; delete one`)
