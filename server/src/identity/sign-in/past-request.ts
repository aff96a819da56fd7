import type { Database } from '../../ground/database/database.ts'
import type { Origin } from '../../ground/http/pages/index.ts'
import { isUuid } from '../../ground/runtime/identifiers.ts'
import { findApplication, findOnlyApplication } from '../applications/index.ts'
import { findOrganization } from '../organizations/index.ts'
import { findFlowRequest } from './flow-store.ts'

/** What is known of a request that is over: where the person came from, and what they read. */
export type PastRequest = { origin: Origin; uiLocales: string | undefined }

/**
 * By the page of the request (`uid`), or by its state at the callback. A flow is kept for some minutes; after that an organization's only
 * application is the one that asked. A person is led back to the registered address alone, whatever the request said.
 */
export async function findPastRequest(
  organizationId: string,
  by: Parameters<typeof findFlowRequest>[2],
  { database: { read } }: { database: Database },
): Promise<PastRequest> {
  const [organization, flow] = await Promise.all([
    findOrganization(read, organizationId),
    findFlowRequest(read, organizationId, by),
  ])
  if (!organization) return { origin: undefined, uiLocales: undefined }
  const application = flow
    ? await findNamed(organizationId, flow, read)
    : await findOnlyApplication(read, organizationId)
  const origin = application && { name: application.name, homeUrl: application.home_url }
  return { origin, uiLocales: flow?.uiLocales ?? undefined }
}

const findNamed = async (organizationId: string, { clientId }: { clientId: string | null }, read: Database['read']) =>
  clientId !== null && isUuid(clientId) ? findApplication(read, organizationId, clientId) : undefined
