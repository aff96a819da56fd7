import type { Queries } from '../ground/database/database.ts'
import { toTimestamp } from '../ground/runtime/clock.ts'
import { countValidKeys, findOrganization, type OperatorGroup } from '../identity/organizations/index.ts'
import { countActiveMembers } from '../identity/persons/groups/index.ts'
import type { Base } from './base.ts'

type Described = { isReady: boolean; message: string }

/** Who can be the operator besides whoever has the operator's key, in one line. */
export async function describeOperators(
  queries: Queries,
  { organizationId, groupName }: OperatorGroup,
  now: number,
): Promise<Described> {
  const [organization, members, keys] = await Promise.all([
    findOrganization(queries, organizationId),
    countActiveMembers(queries, organizationId, groupName),
    countValidKeys(queries, organizationId, toTimestamp(now)),
  ])
  const lacking = (setting: string, what: string) => ({
    isReady: false,
    message: `${setting}: there is no ${what}; only whoever has the operator key is the operator`,
  })
  if (!organization) return lacking('SIGNET_OPERATOR_ORGANIZATION', 'organization with this id here')
  if (members === undefined) return lacking('SIGNET_OPERATOR_GROUP', `group ${groupName} in that organization`)
  return {
    isReady: members > 0,
    message:
      `the operator: ${members} active member${members === 1 ? '' : 's'} of the group ${groupName} of ${organizationId}, and ` +
      `whoever has an admin key there (admin keys: ${keys.admin}, keys: ${keys.all})`,
  }
}

/** Each process says it, since each has settings of its own. */
export async function logOperators({ config, database, clock, log }: Base) {
  if (!config.operatorGroup) return
  const { isReady, message } = await describeOperators(database.read, config.operatorGroup, clock.now())
  if (isReady) log.info(message)
  else log.warn(message)
}
