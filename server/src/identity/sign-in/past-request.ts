import type { Database } from '../../ground/database/database.ts'
import { isStorable } from '../../ground/http/chain/validation.ts'
import type { Origin } from '../../ground/http/pages/index.ts'
import { findApplication, findOnlyApplication } from '../applications/index.ts'
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
  { database: { read } }: { database: Database },
  clientId: string | null = null,
): Promise<PastRequest> {
  const [organization, flow] = await Promise.all([
    findOrganization(read, organizationId),
    by && isKnowable(by) ? findFlowRequest(read, organizationId, by) : undefined,
  ])
  if (!organization) return { origin: undefined, uiLocales: undefined }
  const asked = flow?.clientId ?? clientId
  const isTest = flow !== undefined && asked === null
  const application = isTest ? undefined : await findAsking(organizationId, asked, read)
  const origin = application && { name: application.name, homeUrl: application.home_url }
  return { origin, uiLocales: flow?.uiLocales ?? undefined }
}

/** The path of a page may hold any text. */
const isKnowable = (by: Remembered) => !('uid' in by) || isStorable(by.uid)

const findAsking = (organizationId: string, clientId: string | null, read: Database['read']) =>
  clientId === null ? findOnlyApplication(read, organizationId) : findApplication(read, organizationId, clientId)
