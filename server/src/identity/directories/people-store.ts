import type { Queries, Transaction } from '../../ground/database/database.ts'
import { valuesIn } from '../../ground/database/rows.ts'
import { sql } from '../../ground/database/sql.ts'

/** So many of the persons that the directory keeps. */
export const somePeople = (queries: Queries, organizationId: string, directoryId: string, limit: number) =>
  valuesIn(queries)(sql<{ person_id: string }>`
    select person_id from directory_users
     where org_id = ${organizationId} and directory_id = ${directoryId} order by person_id limit ${limit}`)

/** The persons themselves stay. */
export const removeUsers = (tx: Transaction, organizationId: string, personIds: string[]) =>
  tx.rows(sql`delete from directory_users where org_id = ${organizationId} and person_id = any(${personIds}::uuid[])`)

/** Its groups become the interface's, with those who are in them. */
export const releaseGroups = (tx: Transaction, organizationId: string, directoryId: string) =>
  tx.rows(sql`delete from directory_groups where org_id = ${organizationId} and directory_id = ${directoryId}`)
