import { eventsOperations, type Publish } from '../delivery/events/index.ts'
import { type Feed, type Follow, feedOperations } from '../delivery/feed/index.ts'
import { listenOperations } from '../delivery/feed/listen/index.ts'
import { type Hooks, hooksOperations } from '../delivery/hooks/index.ts'
import { deliveryLogOperations } from '../delivery/log/index.ts'
import {
  closeLanes,
  type Delivery,
  laneOfWebhook,
  pauseLane,
  reopenDeliveries,
  resumeLane,
} from '../delivery/queue/index.ts'
import { type CountEvents, statisticsOperations } from '../delivery/statistics/index.ts'
import { countWebhooks, webhooksOperations } from '../delivery/webhooks/index.ts'
import type { Database } from '../ground/database/database.ts'
import type { Operation } from '../ground/http/chain/operation.ts'
import { createCallerLimit } from '../ground/http/socket/rate-limit.ts'
import type { Keyring, Keys } from '../ground/keys/index.ts'
import type { Positions } from '../ground/positions/index.ts'
import type { Clock } from '../ground/runtime/clock.ts'
import type { Tracer } from '../ground/runtime/tracer.ts'
import { applicationsOperations } from '../identity/applications/index.ts'
import { auditLogOperations } from '../identity/audit-log/index.ts'
import { sessionActions } from '../identity/console/index.ts'
import { type Credentials, credentialsOperations } from '../identity/credentials/index.ts'
import { credentialLinksOperations } from '../identity/credentials/links/index.ts'
import { endSessions, type Issuers, issuerOf, issuerOperations } from '../identity/issuer/index.ts'
import { organizationsOperations } from '../identity/organizations/index.ts'
import { pageEventsOperations } from '../identity/page-events/index.ts'
import { countGroups, groupsOperations } from '../identity/persons/groups/index.ts'
import { countPersons, personsOperations } from '../identity/persons/index.ts'
import { signInOperations } from '../identity/sign-in/index.ts'
import { processesOperations } from '../operator/installation/processes/index.ts'
import { regionsOperations } from '../operator/installation/regions/index.ts'
import { moveActions } from '../operator/move/index.ts'
import type { Config } from './config.ts'

type Dependencies = {
  config: Config
  database: Database
  tracer: Tracer
  clock: Clock
  keyring: Keyring
  keys: Keys
  publish: Publish
  delivery: Delivery
  hooks: Hooks
  issuers: Issuers
  credentials: Credentials
  positions: Positions
  feed: Feed
  /** For streams. */
  liveFeed: Feed
  follow: Follow
  countEvents: CountEvents
  /** An organization whose signing key no master key decrypts. */
  onUnreadable: (organizationId: string, error: unknown) => void
}

/** The operations of all slices. */
export function listOperations(dependencies: Dependencies): Operation[] {
  const { config, database, tracer, clock, keyring, keys, publish, delivery, hooks, issuers, credentials } =
    dependencies
  const { positions, feed, liveFeed, follow, countEvents, onUnreadable } = dependencies
  const { baseUrl, region, otherRegions, rates, retentionMs } = config
  const { wake, revoke } = delivery
  const operations = [
    ...organizationOperations(dependencies),
    ...processesOperations({ database, clock }),
    ...regionsOperations({ database, region, others: otherRegions }),
    ...groupsOperations({ database, clock }),
    ...personsOperations({ database, clock, publish, region, regions: [region, ...otherRegions], endSessions }),
    ...webhooksOperations({
      ...{ database, clock, keyring, keys, wake, revoke, lane: laneOfWebhook, pauseLane, resumeLane },
      ...{ keySetRate: rates.keySet, allowPorts: config.allowPorts },
    }),
    ...deliveryLogOperations({ database, clock, wake, reopenDeliveries, retentionMs, baseUrl }),
    ...statisticsOperations({ database, clock, countEvents, retentionMs }),
    ...eventsOperations({ database, clock, publish, allowance: rates.testEvents, tracer }),
    ...feedOperations({ database, feed, liveFeed, follow }),
    ...listenOperations({
      ...{ feed: liveFeed, follow, clock, baseUrl, findSigners: keys.findSigners, sign: delivery.sign, onUnreadable },
    }),
    ...pageEventsOperations({
      ...{ database, publish, readIdToken: issuers.readIdToken, pageOrigins: issuers.pageOrigins },
      callerLimit: createCallerLimit(clock, rates.pageEvents),
    }),
    ...credentialsOperations({ database, clock, keyring, baseUrl, onChange: credentials.forget }),
    ...credentialLinksOperations({
      ...{ database, clock, keyring, baseUrl, onChange: credentials.forget },
      callerLimit: createCallerLimit(clock, rates.public),
    }),
    ...applicationsOperations({ database, clock, onChange: issuers.forgetApplication }),
    ...hooksOperations({
      ...{ database, clock, region, baseUrl, callHook: hooks.callHook, dryRunRate: rates.dryRuns },
      issuerOf: (organizationId) => issuerOf(baseUrl, organizationId),
    }),
    ...signInOperations({ database, clock, baseUrl, credentials, allowance: rates.testEvents }),
    ...issuerOperations({ issuers }),
  ]
  const actions = new Set([...operations.map(({ id }) => id), ...sessionActions, ...moveActions])
  const isAction = (text: string) => actions.has(text)
  return [...operations, ...auditLogOperations({ database, positions, isAction })]
}

/** Organizations know no slice above them: what they need of those is handed in. */
function organizationOperations({ config, database, clock, keys, delivery, issuers }: Dependencies): Operation[] {
  return organizationsOperations({
    ...{ database, clock, tiers: config.tiers, createSigningKeys: keys.createSigningKeys, closeLanes },
    revoke: (organizationId) => {
      issuers.forgetOrganization(organizationId)
      return delivery.revoke(organizationId)
    },
    countUsage: async (queries, organizationId) => ({
      groups: await countGroups(queries, organizationId),
      persons: await countPersons(queries, organizationId),
      webhooks: await countWebhooks(queries, organizationId),
    }),
  })
}
