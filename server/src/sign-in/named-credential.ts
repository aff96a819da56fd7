import { type Choice, findChoice } from '../credentials/index.ts'
import type { Queries } from '../database/database.ts'
import { isStorable } from '../http/validation.ts'

/** The credential that an application names by `idp`. Text that PostgreSQL does not store is nobody's client id. */
export const findNamedCredential = async (
  queries: Queries,
  organizationId: string,
  idp: string,
): Promise<Choice | undefined> => (isStorable(idp) ? findChoice(queries, organizationId, idp) : undefined)
