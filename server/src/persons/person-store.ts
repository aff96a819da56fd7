import type { Queries, Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import type { Page, Paged } from '../http/operation.ts'
import { type Handle, type HandleType, maxHandles } from './handle.ts'

export type Person = {
  person_id: string
  active: boolean
  region: string
  handles: { type: HandleType; value: string; verified: boolean }[]
  groups: string[]
  created_at: Date
}
type NewPerson = { id: string; active: boolean; region: string; createdAt: string }
/** Who says that a handle is its person's: whoever has an admin key, or a provider, named by its issuer. Null: nobody. */
export type VouchedBy = 'admin_key' | (string & {}) | null
/** `position`: the place among the person's handles. */
export type StoredHandle = Handle & { verified: boolean; vouchedBy: VouchedBy; position: number }
type KeptHandle = Pick<StoredHandle, 'type' | 'key' | 'verified' | 'vouchedBy'>

export async function insertPerson(tx: Transaction, organizationId: string, person: NewPerson) {
  await tx.rows(sql`
    insert into persons (org_id, id, active, region, created_at)
    values (${organizationId}, ${person.id}, ${person.active}, ${person.region}, ${person.createdAt})`)
}

/**
 * Gives the positions of the handles that nobody else has; only those are stored. In the order of their keys: of two
 * transactions with the same handles, one waits for the other, and never each for the other.
 */
export async function insertHandles(
  tx: Transaction,
  organizationId: string,
  personId: string,
  handles: StoredHandle[],
): Promise<number[]> {
  const rows = await tx.rows(sql<{ position: number }>`
    insert into handles (org_id, person_id, type, key, value, verified, vouched_by, position)
    select ${organizationId}::uuid, ${personId}::uuid, type, key, value, verified, vouched_by, position
      from unnest(${handles.map((handle) => handle.type)}::text[], ${handles.map((handle) => handle.key)}::text[],
                  ${handles.map((handle) => handle.value)}::text[], ${handles.map((handle) => handle.verified)}::bool[],
                  ${handles.map((handle) => handle.vouchedBy)}::text[], ${handles.map((handle) => handle.position)}::int[])
                  as h (type, key, value, verified, vouched_by, position)
     order by type, key
    on conflict (org_id, type, key) do nothing
    returning position`)
  return rows.map((row) => row.position)
}

/** Gives what was known of those that were there. */
export const takeHandles = (tx: Transaction, organizationId: string, personId: string): Promise<KeptHandle[]> =>
  tx.rows(sql<KeptHandle>`
    delete from handles where org_id = ${organizationId} and person_id = ${personId}
    returning type, key, verified, vouched_by as "vouchedBy"`)

/**
 * A provider vouches for a handle of the person: it is added where nobody has it and the person has room for it, and
 * verified where the person had it unverified. Another person keeps it.
 */
export async function vouchForHandle(
  tx: Transaction,
  organizationId: string,
  personId: string,
  { type, key, value, issuer }: Handle & { issuer: string },
) {
  await tx.rows(sql`
    insert into handles (org_id, person_id, type, key, value, verified, vouched_by, position)
    select ${organizationId}::uuid, ${personId}::uuid, ${type}, ${key}, ${value}, true, ${issuer}, coalesce(max(position) + 1, 0)
      from handles where org_id = ${organizationId} and person_id = ${personId}
    having count(*) filter (where key <> ${key}) < ${maxHandles} and bool_or(key = ${key} and verified) is not true
    on conflict (org_id, type, key) do update set verified = true, vouched_by = excluded.vouched_by
     where handles.person_id = excluded.person_id`)
}

/** A provider says that a handle is not confirmed any more: if it was this provider that vouched for it, nobody does now. */
export async function withdrawVouching(
  tx: Transaction,
  organizationId: string,
  personId: string,
  { type, key, issuer }: Handle & { issuer: string },
) {
  await tx.rows(sql`
    update handles set verified = false, vouched_by = null
     where org_id = ${organizationId} and person_id = ${personId} and type = ${type} and key = ${key} and vouched_by = ${issuer}`)
}

export async function findPerson(queries: Queries, organizationId: string, personId: string) {
  const [person] = await queries.rows(sql<Person>`
    select person_id, active, region, handles, groups, created_at from person_records
     where org_id = ${organizationId} and person_id = ${personId}`)
  return person
}

export async function findPersonByHandle(queries: Queries, organizationId: string, { type, key }: Handle) {
  const [person] = await queries.rows(sql<Person>`
    select person_id, active, region, handles, groups, created_at from person_records
     where org_id = ${organizationId}
       and person_id = (select person_id from handles where org_id = ${organizationId} and type = ${type} and key = ${key})`)
  return person
}

/** Whose handle this is by the word of an admin key, which no provider's word and no claim of a person's own stands for. */
export async function findPersonVouchedFor(queries: Queries, organizationId: string, { type, key }: Handle) {
  const [person] = await queries.rows(sql<Person>`
    select person_id, active, region, handles, groups, created_at from person_records
     where org_id = ${organizationId}
       and person_id = (select person_id from handles
                         where org_id = ${organizationId} and type = ${type} and key = ${key} and vouched_by = 'admin_key')`)
  return person
}

/**
 * The oldest first. The page is cut before the records are made: handles and groups of the persons that the
 * offset skips are not looked up.
 */
export async function pageOfPersons(
  queries: Queries,
  organizationId: string,
  { limit, offset }: Page,
): Promise<Paged<Person>> {
  const [items, totalCount] = await Promise.all([
    queries.rows(sql<Person>`
      select person_id, active, region, handles, groups, created_at from person_records
       where org_id = ${organizationId}
         and person_id = any(array(select id from persons where org_id = ${organizationId}
                                    order by id limit ${limit} offset ${offset}))
       order by person_id`),
    countPersons(queries, organizationId),
  ])
  return { items, totalCount }
}

export async function countPersons(queries: Queries, organizationId: string): Promise<number> {
  const [row] = await queries.rows(sql<{ count: number }>`
    select count(*) from persons where org_id = ${organizationId}`)
  return row?.count ?? 0
}

/** Locks the person until the end of the transaction. What is absent stays. Gives whether there is such a person. */
export async function updatePerson(
  tx: Transaction,
  organizationId: string,
  personId: string,
  { active }: { active: boolean | undefined },
): Promise<boolean> {
  const rows = await tx.rows(sql`
    update persons set active = coalesce(${active}, active)
     where org_id = ${organizationId} and id = ${personId} returning id`)
  return rows.length > 0
}

/** Nobody else changes the person, the handles, or adds to the groups, until the end of the transaction. */
export async function lockPerson(tx: Transaction, organizationId: string, personId: string) {
  await tx.rows(sql`select from persons where org_id = ${organizationId} and id = ${personId} for update`)
}

/** Nobody deactivates or deletes the person until the end of the transaction. Undefined: somebody did before. */
export async function holdActivePerson(
  tx: Transaction,
  organizationId: string,
  personId: string,
): Promise<{ region: string } | undefined> {
  const [person] = await tx.rows(sql<{ region: string }>`
    select region from persons where org_id = ${organizationId} and id = ${personId} and active for share`)
  return person
}

/** With handles and memberships. */
export async function deletePerson(tx: Transaction, organizationId: string, personId: string) {
  await tx.rows(sql`delete from persons where org_id = ${organizationId} and id = ${personId}`)
}
