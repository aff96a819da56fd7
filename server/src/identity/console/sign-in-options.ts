import type { FastifyRequest } from 'fastify'
import type { Database } from '../../ground/database/database.ts'
import { notFound } from '../../ground/errors.ts'
import { shownName } from '../../ground/runtime/shown-name.ts'
import { type Credentials, shownChoice } from '../credentials/index.ts'
import { findBrand, logoPath, type OperatorGroup, refuseIfMoving } from '../organizations/index.ts'
import { organizationIn } from './find-sessions.ts'
import { noOrganization } from './session-cookie.ts'
import { findWaysIn } from './session-store.ts'

export type OptionsDependencies = {
  database: Database
  baseUrl: string
  credentials: Pick<Credentials, 'list'>
  operatorKey: () => string | undefined
  operatorGroup: OperatorGroup | undefined
}

/** How one signs in, for a page that has no session: to an organization, as its sign-in page says as well, or as the operator. */
export const getSignInOptions =
  (dependencies: OptionsDependencies) =>
  async ({ headers }: FastifyRequest) => {
    const organizationId = organizationIn(headers)
    if (organizationId === noOrganization) return { result: await describeForOperator(dependencies) }
    return { result: await describeFor(organizationId, dependencies) }
  }

/** Through the issuer of the organization of the operator's people, where the settings name one. */
async function describeForOperator({ baseUrl, operatorKey, operatorGroup, credentials }: OptionsDependencies) {
  const ways = { base_url: baseUrl, key_sign_in: operatorKey() !== undefined }
  if (!operatorGroup) return { ...ways, operator: [] }
  const { organizationId } = operatorGroup
  return {
    ...ways,
    operator: (await credentials.list(organizationId)).map(shownChoice),
    operator_organization_id: organizationId,
  }
}

async function describeFor(organizationId: string, { database: { read }, baseUrl, credentials }: OptionsDependencies) {
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
      name: shownName(name),
      ...(display_name !== null && { display_name: shownName(display_name) }),
      ...(logo !== null && { logo_url: baseUrl + logoPath(organizationId, logo) }),
    },
    credentials: choices.map(shownChoice),
    ...ways,
  }
}
