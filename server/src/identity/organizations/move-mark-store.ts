import type { Queries, Transaction } from '../../ground/database/database.ts'
import { fragment, sql } from '../../ground/database/sql.ts'
import { type ApiError, notFound, organizationMoved, organizationMoving } from '../../ground/errors.ts'

type Move = {
  moveId: string
  state: 'leaving' | 'arrived' | 'gone'
  startCodeHash: Buffer | null
  importId: string | null
}

const selectMove = fragment`
    select move_id as "moveId", state, start_code_hash as "startCodeHash", import_id as "importId" from moved_organizations`

export const findMove = async (queries: Queries, organizationId: string): Promise<Move | undefined> =>
  (await queries.rows(sql<Move>`${selectMove} where org_id = ${organizationId}`))[0]

/** Of two commands at once the second waits for the first. */
export const lockMove = async (tx: Transaction, organizationId: string): Promise<Move | undefined> =>
  (await tx.rows(sql<Move>`${selectMove} where org_id = ${organizationId} for update`))[0]

/** In place of what is known of an earlier move. */
export const saveMove = (
  tx: Transaction,
  organizationId: string,
  { moveId, state, startCodeHash, importId }: Move,
  now: string,
) =>
  tx.rows(sql`
    insert into moved_organizations (org_id, move_id, state, since, start_code_hash, import_id)
    values (${organizationId}, ${moveId}, ${state}, ${now}, ${startCodeHash}, ${importId})
    on conflict (org_id) do update set move_id = excluded.move_id, state = excluded.state, since = excluded.since,
                                       start_code_hash = excluded.start_code_hash, import_id = excluded.import_id`)

export const removeMove = (tx: Transaction, organizationId: string) =>
  tx.rows(sql`delete from moved_organizations where org_id = ${organizationId}`)

/** A 423 where it has left this cell, or is on the way to it or from it. */
async function findMoveError(queries: Queries, organizationId: string): Promise<ApiError | undefined> {
  const [move] = await queries.rows(sql<{ state: string }>`
    select state from moved_organizations where org_id = ${organizationId}`)
  return move && (move.state === 'gone' ? organizationMoved() : organizationMoving())
}

/** Throws a 423 where the organization has moved to another cell, or is on the way. */
export async function refuseIfMoving(queries: Queries, organizationId: string) {
  const error = await findMoveError(queries, organizationId)
  if (error) throw error
}

/** Why an organization is not served: a 423, or the 404 of one that is not there. */
export const notServed = async (queries: Queries, organizationId: string): Promise<ApiError> =>
  (await findMoveError(queries, organizationId)) ?? notFound('organization')
