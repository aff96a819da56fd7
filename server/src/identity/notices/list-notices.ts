import { Type } from 'typebox'
import type { Database } from '../../ground/database/database.ts'
import { operation } from '../../ground/http/chain/operation.ts'
import { covers, type Scope } from '../../ground/http/chain/scopes.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import { adoptions, expiringTokens } from './directory-notices.ts'
import { expiringKeys, expiringSecrets } from './expiry-notices.ts'
import type { Find, Found } from './finding.ts'
import { fullQuotas } from './full-quotas.ts'
import { Notice, type NoticeKind, noticeKinds } from './notice-record.ts'
import { failingHooks, failingWebhooks, pausedWebhooks } from './receiver-notices.ts'
import { waitingCredentials } from './waiting-credentials.ts'

/** Of each kind. */
const maxOfKind = 50

/** `scope`: that of the thing, without which nobody is told of it. */
const kinds: Record<NoticeKind, { scope: Scope; find: Find }> = {
  webhook_paused: { scope: 'webhooks:read', find: pausedWebhooks },
  webhook_failing: { scope: 'webhooks:read', find: failingWebhooks },
  hook_failing: { scope: 'webhooks:read', find: failingHooks },
  credential_waits: { scope: 'credentials:read', find: waitingCredentials },
  client_secret_expires: { scope: 'applications:read', find: expiringSecrets },
  api_key_expires: { scope: 'api-keys:read', find: expiringKeys },
  directory_token_expires: { scope: 'directories:read', find: expiringTokens },
  persons_adopted: { scope: 'directories:read', find: adoptions },
  quota_nearly_full: { scope: 'settings:read', find: fullQuotas },
}

export const listNotices = ({ database, clock }: { database: Database; clock: Clock }) =>
  operation({
    id: 'listNotices',
    method: 'GET',
    path: '/organizations/notices',
    scope: 'webhooks:read',
    tag: 'Organization settings',
    summary: 'List what needs attention',
    description:
      'What needs somebody now, as it is at this moment: it is stored nowhere, and gone once it is mended. Kind by kind in the ' +
      `order of \`kind\`, and of each kind the newest first, at most ${maxOfKind}; the last one then says that there are more. What expires ` +
      'soonest comes first of its kind, and what has expired last. Of credentials, ' +
      'applications, API keys, directories and quotas only those hear whose key or role may read these: `credentials:read`, ' +
      '`applications:read`, `api-keys:read`, `directories:read` and `settings:read`.',
    result: Type.Array(Notice, { description: 'Empty where nothing needs attention.' }),
    handle: async ({ organizationId, principal, limits }) => {
      const asked = { queries: database.pages, organizationId, now: clock.now(), limit: maxOfKind + 1, limits }
      const told = noticeKinds.filter((kind) => covers(principal?.scopes ?? [], kinds[kind].scope))
      return (await Promise.all(told.map(async (kind) => toNotices(kind, await kinds[kind].find(asked))))).flat()
    },
  })

const toNotices = (kind: NoticeKind, found: Found[]) =>
  found.slice(0, maxOfKind).map((notice, index) => ({
    kind,
    ...notice,
    ...(index === maxOfKind - 1 && found.length > maxOfKind && { has_more: true }),
  }))
