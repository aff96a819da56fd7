import { conflict } from '../../ground/errors.ts'

/** Its members are the operator, as whoever has the operator's key is. */
export type OperatorGroup = { organizationId: string; groupName: string }

/** The name of the group, where it is one of this organization. */
export const operatorsIn = (operators: OperatorGroup | undefined, organizationId: string): string | undefined =>
  operators?.organizationId === organizationId ? operators.groupName : undefined

/** Throws a 409 for the organization of the operator's people, which has to stay as long as it is named. */
export function refuseIfOperators(operators: OperatorGroup | undefined, organizationId: string) {
  if (operatorsIn(operators, organizationId) !== undefined)
    throw conflict('named_by_setting', 'organization: is named by SIGNET_OPERATOR_ORGANIZATION')
}
