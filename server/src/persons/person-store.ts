import type { Queries, Transaction } from '../database/database.ts'
import { sql } from '../database/sql.ts'
import type { Page, Paged } from '../http/operation.ts'
import type { Handle, HandleType } from './handle.ts'

export type Person = {
  person_id: string
  active: boolean
  region: string
  handles: { type: HandleType; value: string; verified: boolean }[]
  groups: string[]
  created_at: Date
}
type NewPerson = { id: string; active: boolean; region: string; createdAt: string }
/** `position`: the place among the person's handles. */
export type StoredHandle = Handle & { verified: boolean; position: number }

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
    insert into handles (org_id, person_id, type, key, value, verified, position)
    select ${organizationId}::uuid, ${personId}::uuid, type, key, value, verified, position
      from unnest(${handles.map((handle) => handle.type)}::text[], ${handles.map((handle) => handle.key)}::text[],
                  ${handles.map((handle) => handle.value)}::text[], ${handles.map((handle) => handle.verified)}::bool[],
                  ${handles.map((handle) => handle.position)}::int[]) as h (type, key, value, verified, position)
     order by type, key
    on conflict (org_id, type, key) do nothing
    returning position`)
  return rows.map((row) => row.position)
}

export async function deleteHandles(tx: Transaction, organizationId: string, personId: string) {
  await tx.rows(sql`delete from handles where org_id = ${organizationId} and person_id = ${personId}`)
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

/** Who has this handle for certain: an unverified one says nothing about whose it is. */
export async function findPersonByVerifiedHandle(queries: Queries, organizationId: string, { type, key }: Handle) {
  const [person] = await queries.rows(sql<Person>`
    select person_id, active, region, handles, groups, created_at from person_records
     where org_id = ${organizationId}
       and person_id = (select person_id from handles
                         where org_id = ${organizationId} and type = ${type} and key = ${key} and verified)`)
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
