import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { type Clock, toTimestamp } from '../../ground/runtime/clock.ts'
import { InvitationRecord, toRecord } from './invitation-record.ts'
import { pageOfOpenInvitations } from './invitation-store.ts'

type Dependencies = { database: Database; clock: Clock }

export const listInvitations = ({ database, clock }: Dependencies) =>
  operation({
    id: 'listConsoleInvitations',
    method: 'GET',
    path: '/organizations/console-invitations',
    scope: 'settings:read',
    adminOnly: true,
    tag: 'Organization settings',
    summary: 'List invitations to the console',
    description: 'Those that are open, the newest first, without what opens them.',
    result: InvitationRecord,
    paged: true,
    handle: async ({ organizationId, query }) => {
      const now = toTimestamp(clock.now())
      const { items, totalCount } = await pageOfOpenInvitations(database.pages, organizationId, now, query)
      return { items: items.map(toRecord), totalCount }
    },
  })
