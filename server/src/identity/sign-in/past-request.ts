import type { Database } from '../../ground/database/database.ts'
import { isStorable } from '../../ground/http/chain/validation.ts'
import type { Origin } from '../../ground/http/pages/index.ts'
import { findApplication, findOnlyApplication } from '../applications/index.ts'
import { consoleOriginOf, isStoredOfConsole } from '../issuer/index.ts'
import { findOrganization } from '../organizations/index.ts'
import { findFlowRequest } from './flow-store.ts'

/** What is known of a request that is over: where the person came from, and what they read. */
export type PastRequest = { origin: Origin; uiLocales: string | undefined }

/** Of a flow by the page of its request (`uid`), or by its state at the callback. */
type Remembered = Parameters<typeof findFlowRequest>[2]

/**
 * A flow is kept for some minutes; after that an organization's only application is the one that asked. `clientId`: known otherwise. A
 * person is led back to the registered address alone, whatever the request said.
 */
export async function findPastRequest(
  organizationId: string,
  by: Remembered | undefined,
  { database: { read }, baseUrl }: OriginDependencies,
  clientId: string | null = null,
): Promise<PastRequest> {
  const [organization, flow] = await Promise.all([
    findOrganization(read, organizationId),
    by && isKnowable(by) ? findFlowRequest(read, organizationId, by) : undefined,
  ])
  if (!organization) return { origin: undefined, uiLocales: undefined }
  const asked = flow?.clientId ?? clientId
  const isTest = flow !== undefined && asked === null
  const origin = isTest ? undefined : await findOrigin(organizationId, asked, { database: { read }, baseUrl })
  return { origin, uiLocales: flow?.uiLocales ?? undefined }
}

/** The path of a page may hold any text. */
const isKnowable = (by: Remembered) => !('uid' in by) || isStorable(by.uid)

type OriginDependencies = { database: Pick<Database, 'read'>; baseUrl: string }

/** Where a person came from: the application, or the console. `clientId`: as a flow has it. */
export async function findOrigin(
  organizationId: string,
  clientId: string | null,
  { database, baseUrl }: OriginDependencies,
): Promise<Origin> {
  if (isStoredOfConsole(clientId)) return consoleOriginOf(baseUrl, organizationId)
  const application = await findAsking(organizationId, clientId, database.read)
  return application && { name: application.name, homeUrl: application.home_url }
}

const findAsking = (organizationId: string, clientId: string | null, read: Database['read']) =>
  clientId === null ? findOnlyApplication(read, organizationId) : findApplication(read, organizationId, clientId)
