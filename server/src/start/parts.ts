import { createPublish } from '../delivery/events/index.ts'
import { createCountEvents } from '../delivery/statistics/index.ts'
import { createCallerLimit } from '../ground/http/socket/rate-limit.ts'
import { createAnswerSweep } from '../ground/idempotency/index.ts'
import { createKeys } from '../ground/keys/index.ts'
import { runEvery } from '../ground/runtime/interval.ts'
import { createCredentials } from '../identity/credentials/index.ts'
import { createEndSessions } from '../identity/issuer/index.ts'
import type { Base } from './base.ts'
import { announcing, buildDelivery, buildFeed, buildHooks } from './delivering.ts'
import { buildIssuers, buildSignIn } from './signing-in.ts'

const minuteMs = 60_000

export type Parts = ReturnType<typeof buildParts>

/** What the slices do, without the server in front of it. */
export function buildParts(base: Base) {
  const { config, database, clock, keyring, tracer, positions } = base
  const { keyLeadMs, keyRotationMs, retentionMs, auditRetentionMs } = config
  const keys = createKeys({ ...base, keyLeadMs, keyRotationMs })
  const hooks = buildHooks(base, keys)
  const delivery = buildDelivery(base, keys)
  const feed = buildFeed(base)
  const countEvents = createCountEvents({ database, positions })
  const enqueue = announcing(delivery.enqueue, feed.published, countEvents.note)
  const publish = createPublish({ clock, enqueue, tracer })
  const credentials = createCredentials({ database, clock, keyring })
  const endSessions = createEndSessions(delivery.enqueueLogouts)
  const signIn = buildSignIn(base, { publish, hooks, credentials, endSessions })
  const signInLimit = createCallerLimit(clock, config.rates.signIn)
  const issuers = buildIssuers(base, signIn, signInLimit)
  // At once where this process has ended one; else what another, which may have died, has left.
  const endedCredentials = runEvery(5 * minuteMs, issuers.endSessionsOfCredentials, base.onError)
  // Like retention, it shares the connections of delivery.
  const answers = createAnswerSweep({ database: base.workerDatabase, clock })
  const periods = { retentionMs, auditRetentionMs }
  return {
    keys,
    hooks,
    delivery,
    answers,
    ...feed,
    countEvents,
    publish,
    credentials,
    endSessions,
    signIn,
    signInLimit,
    issuers,
    endedCredentials,
    ...periods,
  }
}
