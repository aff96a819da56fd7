import type { Queries, Transaction } from '../../ground/database/database.ts'
import { valuesIn } from '../../ground/database/rows.ts'
import { sql } from '../../ground/database/sql.ts'

/** So many of the persons that the directory keeps. */
export const somePeople = (queries: Queries, organizationId: string, directoryId: string, limit: number) =>
  valuesIn(queries)(sql<{ person_id: string }>`
    select person_id from directory_users
     where org_id = ${organizationId} and directory_id = ${directoryId} order by person_id limit ${limit}`)

type Span = { domains: string[]; after: string; limit: number }

/** Addresses in these domains that the directory has sent and that are handles of its people, by their keys, after one of them. Locked. */
export const lockAddresses = (tx: Transaction, organizationId: string, id: string, { domains, after, limit }: Span) =>
  valuesIn(tx)(sql<{ key: string }>`
    select h.key from directory_users u join handles h on h.org_id = u.org_id and h.person_id = u.person_id
     where u.org_id = ${organizationId} and u.directory_id = ${id} and h.type = 'EmailAddress' and h.key > ${after}
       and substring(h.key from '[^@]*$') = any(${domains}::text[]) and ${id}::text || ' ' || h.key = any(u.email_keys)
     order by h.key limit ${limit} for update of h`)

/** The persons themselves stay. */
export const removeUsers = (tx: Transaction, organizationId: string, personIds: string[]) =>
  tx.rows(sql`delete from directory_users where org_id = ${organizationId} and person_id = any(${personIds}::uuid[])`)
