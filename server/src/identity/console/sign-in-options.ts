import type { FastifyRequest } from 'fastify'
import type { Database } from '../../ground/database/database.ts'
import { notFound } from '../../ground/errors.ts'
import type { Credentials } from '../credentials/index.ts'
import { findBrand, logoPath, refuseIfMoving } from '../organizations/index.ts'
import { organizationIn } from './find-sessions.ts'
import { noOrganization } from './session-cookie.ts'
import { findWaysIn } from './session-store.ts'

export type OptionsDependencies = { database: Database; baseUrl: string; credentials: Pick<Credentials, 'list'> }

/** The ways into the console, for a page that has no session: of an organization, which the sign-in page of the issuer tells as well. */
export const getSignInOptions =
  (dependencies: OptionsDependencies) =>
  async ({ headers }: FastifyRequest) => {
    const organizationId = organizationIn(headers)
    if (organizationId === noOrganization)
      return { result: { base_url: dependencies.baseUrl, key_sign_in: true, operator: [] } }
    return { result: await describeWaysIn(organizationId, dependencies) }
  }

async function describeWaysIn(
  organizationId: string,
  { database: { read }, baseUrl, credentials }: OptionsDependencies,
) {
  const [brand, ways, choices] = await Promise.all([
    findBrand(read, organizationId),
    findWaysIn(read, organizationId),
    credentials.list(organizationId),
  ])
  if (!brand || !ways) {
    await refuseIfMoving(read, organizationId)
    throw notFound('organization')
  }
  const { name, display_name, logo } = brand
  return {
    organization: {
      id: organizationId,
      name,
      ...(display_name !== null && { display_name }),
      ...(logo !== null && { logo_url: baseUrl + logoPath(organizationId, logo) }),
    },
    credentials: choices.map(({ client_id, label, provider }) => ({ oauth_client_id: client_id, label, provider })),
    ...ways,
  }
}
