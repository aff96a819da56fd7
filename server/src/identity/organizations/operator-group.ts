import { conflict } from '../../ground/errors.ts'

/** Its members are the operator, as whoever has the operator's key is. */
export type OperatorGroup = { organizationId: string; groupName: string }

/** Throws a 409 for the organization of the operator's people, which has to stay as long as it is named. */
export function refuseIfOperators(operators: OperatorGroup | undefined, organizationId: string) {
  if (operators?.organizationId === organizationId)
    throw conflict('organization: is named by SIGNET_OPERATOR_ORGANIZATION')
}
