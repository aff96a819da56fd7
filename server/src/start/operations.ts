import { eventsOperations } from '../delivery/events/index.ts'
import { feedOperations } from '../delivery/feed/index.ts'
import { listenOperations } from '../delivery/feed/listen/index.ts'
import { hooksOperations } from '../delivery/hooks/index.ts'
import { deliveryLogOperations, logoutLogOperations, signingOperations } from '../delivery/log/index.ts'
import {
  chooseToTry,
  closeLanes,
  laneOfWebhook,
  pauseLane,
  reopenDeliveries,
  reopenLogout,
  resumeLane,
} from '../delivery/queue/index.ts'
import { statisticsOperations } from '../delivery/statistics/index.ts'
import { countWebhooks, namesOfWebhooks, triggersOfWebhooks, webhooksOperations } from '../delivery/webhooks/index.ts'
import type { Operation } from '../ground/http/chain/operation.ts'
import { createCallerLimit } from '../ground/http/socket/rate-limit.ts'
import { toTimestamp } from '../ground/runtime/clock.ts'
import { applicationsOperations, findApplication, namesOfApplications } from '../identity/applications/index.ts'
import { auditLogOperations } from '../identity/audit-log/index.ts'
import { consoleOperations, sessionActions } from '../identity/console/index.ts'
import { credentialsOperations, type EndCredential, namesOfCredentials } from '../identity/credentials/index.ts'
import { credentialLinksOperations } from '../identity/credentials/links/index.ts'
import {
  directoriesOperations,
  directoryNameOf,
  findKept,
  removeCredentialFromDirectory,
} from '../identity/directories/index.ts'
import { acceptAction, invitationsOperations } from '../identity/invitations/index.ts'
import { issuerOf, issuerOperations, markCredentialEnded } from '../identity/issuer/index.ts'
import { noticesOperations } from '../identity/notices/index.ts'
import { createKeepOwner, namesOfKeys, organizationsOperations } from '../identity/organizations/index.ts'
import { pageEventsOperations } from '../identity/page-events/index.ts'
import { countGroups, existingGroups, groupsOperations, holdGroups } from '../identity/persons/groups/index.ts'
import {
  countPersons,
  createHandleHashes,
  isOwner,
  namesOfPersons,
  personsOperations,
} from '../identity/persons/index.ts'
import { resourcesOperations } from '../identity/resources/index.ts'
import { adoptAction } from '../identity/scim/index.ts'
import { searchOperations } from '../identity/search/index.ts'
import { historyOperations } from '../identity/sign-in/history/index.ts'
import { hasOwner, signInOperations } from '../identity/sign-in/index.ts'
import { processesOperations } from '../operator/installation/processes/index.ts'
import { regionsOperations } from '../operator/installation/regions/index.ts'
import { moveActions } from '../operator/move/index.ts'
import type { Base } from './base.ts'
import { endSessionsOf } from './end-sessions-of.ts'
import type { Parts } from './parts.ts'
import { listScimRoutes } from './scim-routes.ts'

/** `onUnreadable`: told of an organization whose signing key no master key decrypts. */
type Dependencies = Base & Parts & { onUnreadable: (organizationId: string, error: unknown) => void }

/** The audit log knows no slice whose things it tells of: what they are called is handed in. */
const namesOf = {
  person: namesOfPersons,
  webhook: namesOfWebhooks,
  application: namesOfApplications,
  oidc_credential: namesOfCredentials,
  api_key: namesOfKeys,
}

const keepOwner = createKeepOwner(hasOwner, isOwner)

/** The operations of all slices. */
export function listOperations(dependencies: Dependencies): Operation[] {
  const { config, database, keyring, tracer, clock, publish, issuers, positions } = dependencies
  const { region, otherRegions, rates, retentionMs } = config
  const ofSignIn = { baseUrl: config.baseUrl, providers: dependencies.signIn.providers }
  const operations = [
    ...organizationOperations(dependencies),
    ...noticesOperations({ database, clock }),
    ...consoleOperations({ database, clock, operatorGroup: config.operatorGroup }),
    ...processesOperations({ database, clock }),
    ...regionsOperations({ database, region, others: otherRegions }),
    ...groupsOperations({ database, clock, publish, findKept, keepOwner, operatorGroup: config.operatorGroup }),
    ...personOperations(dependencies),
    ...directoryOperations(dependencies),
    ...searchOperations({ database }),
    ...webhookOperations(dependencies),
    ...statisticsOperations({ ...dependencies, retentionMs }),
    ...eventsOperations({
      database,
      clock,
      publish,
      allowance: rates.testEvents,
      tracer,
      triggersOfWebhooks: (organizationId, ids) => triggersOfWebhooks(database.read, organizationId, ids),
    }),
    ...followingOperations(dependencies),
    ...identityOperations(dependencies),
    ...hookOperations(dependencies),
    ...signInOperations({ ...dependencies, ...ofSignIn, keepOwner, allowance: rates.testEvents }),
    ...historyOperations({ database, positions, handleHashes: createHandleHashes(keyring) }),
    ...issuerOperations({ issuers }),
  ]
  const called = [...operations, ...listScimRoutes(dependencies)].map(({ id }) => id)
  const actions = new Set([...called, ...sessionActions, ...moveActions, acceptAction, adoptAction])
  const isAction = (text: string) => actions.has(text)
  return [...operations, ...auditLogOperations({ database, positions, isAction, namesOf })]
}

function personOperations({ config, database, clock, keyring, publish, endSessions }: Dependencies): Operation[] {
  const { region, otherRegions } = config
  return personsOperations({
    database,
    clock,
    publish,
    findKept,
    handleHashes: createHandleHashes(keyring),
    region,
    regions: [region, ...otherRegions],
    keepOwner,
    directoryOf: directoryNameOf,
    endSessions: endSessionsOf({ clock, endSessions }),
  })
}

function directoryOperations({ config, ...dependencies }: Dependencies): Operation[] {
  const { baseUrl, rates, providers: servers } = config
  const endSessions = endSessionsOf(dependencies)
  const callerLimit = createCallerLimit(dependencies.clock, rates.public)
  return directoriesOperations({ ...dependencies, baseUrl, servers, isOwner, keepOwner, endSessions, callerLimit })
}

function webhookOperations({ config, delivery, ...dependencies }: Dependencies): Operation[] {
  const { baseUrl, rates, retentionMs, allowPorts } = config
  const { findSigners } = dependencies.keys
  const lanes = { lane: laneOfWebhook, pauseLane, resumeLane }
  return [
    ...webhooksOperations({ ...dependencies, ...delivery, ...lanes, keySetRate: rates.keySet, allowPorts }),
    ...deliveryLogOperations({ ...dependencies, ...delivery, reopenDeliveries, chooseToTry, retentionMs, baseUrl }),
    ...signingOperations({ ...dependencies, findSigners, sign: delivery.sign, retentionMs, baseUrl }),
  ]
}

/** The feed, and what listens to it. */
function followingOperations({ config, keys, delivery, ...dependencies }: Dependencies): Operation[] {
  const { findSigners } = keys
  const { baseUrl } = config
  return [
    ...feedOperations(dependencies),
    ...listenOperations({ ...dependencies, feed: dependencies.liveFeed, baseUrl, findSigners, sign: delivery.sign }),
  ]
}

function identityOperations({
  config,
  issuers,
  credentials,
  endedCredentials,
  ...dependencies
}: Dependencies): Operation[] {
  const { baseUrl, rates, allowPorts, retentionMs } = config
  const { clock } = dependencies
  const endCredential: EndCredential = async (tx, organizationId, credentialId) => {
    await markCredentialEnded(tx, organizationId, credentialId, toTimestamp(clock.now()))
    tx.afterCommit(endedCredentials.run)
  }
  const { forget } = credentials
  const changes = { onChange: forget, endCredential, removeCredentialFromDirectory, keepOwner }
  const ofCredentials = { ...dependencies, baseUrl, servers: config.providers, ...changes }
  const onChange = async (organizationId: string, clientId: string) => {
    issuers.forgetApplication(organizationId, clientId)
    await dependencies.delivery.revoke(clientId)
  }
  return [
    ...pageEventsOperations({ ...dependencies, ...issuers, callerLimit: createCallerLimit(clock, rates.pageEvents) }),
    ...credentialsOperations(ofCredentials),
    ...credentialLinksOperations({ ...ofCredentials, callerLimit: createCallerLimit(clock, rates.public) }),
    ...invitationsOperations({ ...dependencies, baseUrl, isOwner, findKept }),
    ...applicationsOperations({ ...dependencies, allowPorts, onChange, forget: issuers.forgetApplication }),
    ...logoutLogOperations({
      ...dependencies,
      wake: dependencies.delivery.wake,
      reopenLogout,
      retentionMs,
      issuerOf: (organizationId) => issuerOf(baseUrl, organizationId),
      hasApplication: async (organizationId, clientId) =>
        (await findApplication(dependencies.database.read, organizationId, clientId)) !== undefined,
    }),
    ...resourcesOperations({ ...dependencies, onChange: issuers.forgetResource }),
  ]
}

function hookOperations({ config, hooks, ...dependencies }: Dependencies): Operation[] {
  const { baseUrl, region, rates } = config
  const issuer = (organizationId: string) => issuerOf(baseUrl, organizationId)
  const { callHook } = hooks
  return hooksOperations({ ...dependencies, region, baseUrl, callHook, dryRunRate: rates.dryRuns, issuerOf: issuer })
}

/** Organizations know no slice above them: what they need of those is handed in. */
const organizationOperations = ({ config, database, clock, keys, delivery, issuers }: Dependencies): Operation[] =>
  organizationsOperations({
    database,
    clock,
    isOwner,
    baseUrl: config.baseUrl,
    tiers: config.tiers,
    operatorGroup: config.operatorGroup,
    existingGroups,
    holdGroups,
    findKept,
    hasOwner,
    keepOwner,
    createSigningKeys: keys.createSigningKeys,
    closeLanes,
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
