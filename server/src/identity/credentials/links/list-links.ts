import type { Database } from '../../../ground/database/database.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { type Clock, toTimestamp } from '../../../ground/runtime/clock.ts'
import { LinkRecord, toRecord } from './link-record.ts'
import { pageOfOpenLinks } from './link-store.ts'

type Dependencies = { database: Database; clock: Clock; baseUrl: string }

export const listLinks = ({ database, clock, baseUrl }: Dependencies) =>
  operation({
    id: 'listCredentialLinks',
    method: 'GET',
    path: '/organizations/sso/oidc/credential-links',
    scope: 'credentials:read',
    tag: 'SSO credentials',
    summary: 'List credential links',
    description: 'Those that are open, the newest first, without what opens them.',
    result: LinkRecord,
    paged: true,
    handle: async ({ organizationId, query }) => {
      const now = toTimestamp(clock.now())
      const { items, totalCount } = await pageOfOpenLinks(database.pages, organizationId, now, query)
      return { items: items.map((link) => toRecord(link, baseUrl)), totalCount }
    },
  })
