import type { Queries, Transaction } from '../../ground/database/database.ts'
import { violates } from '../../ground/database/postgres-error.ts'
import { valuesIn } from '../../ground/database/rows.ts'
import { fragment, sql } from '../../ground/database/sql.ts'
import { type Handle, maxHandles } from './handle.ts'

/** `position` is the index among the person's handles. */
type PlacedHandle = Handle & { position: number }
/** `verified`: whether the key that writes it vouches for it. Undefined: it says nothing of that. */
export type WrittenHandle = PlacedHandle & { verified: boolean | undefined }
/** `vouchedBy`: an admin key, else an issuer. Null: nobody. */
export type StoredHandle = PlacedHandle & { verified: boolean; vouchedBy: string | null }

/**
 * In the order of their keys, so that two transactions with the same handles cannot deadlock. Fails where another person has one of
 * them: see `isTaken`.
 */
export const insertHandles = (tx: Transaction, organizationId: string, personId: string, handles: WrittenHandle[]) =>
  tx.rows(sql`
    with inserted as (
      insert into handles (org_id, person_id, type, key, value, verified, vouched_by, given, position)
      select ${organizationId}::uuid, ${personId}::uuid, type, key, value, verified, case when verified then 'admin_key' end, true,
             position
        from unnest(${handles.map(({ type }) => type)}::text[], ${handles.map(({ key }) => key)}::text[],
                    ${handles.map(({ value }) => value)}::text[], ${handles.map(({ verified }) => verified === true)}::bool[],
                    ${handles.map(({ position }) => position)}::int[]) as h (type, key, value, verified, position)
       order by type, key
      returning type, key, verified
    )
    insert into vouchers (org_id, type, key, kind) select ${organizationId}, type, key, 'key' from inserted where verified`)

export const isTaken = (error: unknown) => violates(error, 'handles_pkey')

/** The positions of those that another person has. */
export const positionsOfTaken = (queries: Queries, organizationId: string, personId: string, handles: PlacedHandle[]) =>
  valuesIn(queries)(sql<{ position: number }>`
    select position
      from unnest(${handles.map((handle) => handle.type)}::text[], ${handles.map((handle) => handle.key)}::text[],
                  ${handles.map((handle) => handle.position)}::int[]) as h (type, key, position)
     where (select person_id from handles where org_id = ${organizationId} and type = h.type and key = h.key) <> ${personId}`)

/** In their order. Locked, until the transaction ends, in the order of their keys. */
export async function lockHandles(tx: Transaction, organizationId: string, personId: string): Promise<StoredHandle[]> {
  const handles = await tx.rows(sql<StoredHandle>`
    select type, value, key, verified, vouched_by as "vouchedBy", position from handles
     where org_id = ${organizationId} and person_id = ${personId} order by type, key for update`)
  return handles.sort((one, other) => one.position - other.position)
}

/** With what vouches for them. */
export const removeHandles = (tx: Transaction, organizationId: string, personId: string, handles: Handle[]) =>
  tx.rows(sql`
    delete from handles h using unnest(${handles.map(({ type }) => type)}::text[], ${handles.map(({ key }) => key)}::text[]) as r (type, key)
     where h.org_id = ${organizationId} and h.person_id = ${personId} and h.type = r.type and h.key = r.key`)

/** A key writes handles that the person has. */
export const rewriteHandles = (tx: Transaction, organizationId: string, personId: string, handles: WrittenHandle[]) =>
  tx.rows(sql`
    update handles h set value = w.value, position = w.position, given = true
      from unnest(${handles.map(({ type }) => type)}::text[], ${handles.map(({ key }) => key)}::text[],
                  ${handles.map(({ value }) => value)}::text[], ${handles.map(({ position }) => position)}::int[])
             as w (type, key, value, position)
     where h.org_id = ${organizationId} and h.person_id = ${personId} and h.type = w.type and h.key = w.key`)

/** An admin key vouches for handles that are there. */
export const vouchByKey = (tx: Transaction, organizationId: string, handles: Handle[]) =>
  tx.rows(sql`
    insert into vouchers (org_id, type, key, kind)
    select ${organizationId}, type, key, 'key'
      from unnest(${handles.map(({ type }) => type)}::text[], ${handles.map(({ key }) => key)}::text[]) as h (type, key)
    on conflict do nothing`)

/** An admin key says that nobody vouches for them; who does so again counts again. */
export const withdrawVouchers = (tx: Transaction, organizationId: string, handles: Handle[]) =>
  tx.rows(sql`
    delete from vouchers v using unnest(${handles.map(({ type }) => type)}::text[], ${handles.map(({ key }) => key)}::text[]) as h (type, key)
     where v.org_id = ${organizationId} and v.type = h.type and v.key = h.key`)

type IdentityOf = { id: string; issuer: string }

/**
 * An identity vouches for the handle of its person. Where the person has it not, it is added, unless the person is at the limit, or
 * it is vouched for as another person's.
 */
export const vouchByIdentity = (
  tx: Transaction,
  organizationId: string,
  personId: string,
  { type, key, value }: Handle,
  { id, issuer }: IdentityOf,
) =>
  tx.rows(sql`
    with taken as (
      insert into handles (org_id, person_id, type, key, value, verified, vouched_by, given, position)
      select ${organizationId}::uuid, ${personId}::uuid, ${type}, ${key}, ${value}, true, ${issuer}, false,
             coalesce(max(position) + 1, 0)
        from handles where org_id = ${organizationId} and person_id = ${personId}
      having count(*) < ${maxHandles}
      on conflict (org_id, type, key) do update
         set person_id = excluded.person_id, value = excluded.value, given = false, position = excluded.position
       where handles.person_id <> excluded.person_id and not handles.verified
      returning type, key
    )
    insert into vouchers (org_id, type, key, kind, identity_id)
    select ${organizationId}, type, key, 'identity', ${id}
      from (select type, key from taken
             union all
            select type, key from handles
             where org_id = ${organizationId} and type = ${type} and key = ${key} and person_id = ${personId}) h
    on conflict do nothing`)

/** What an identity vouches for, save the handle with this key. */
export const withdrawByIdentity = (tx: Transaction, organizationId: string, id: string, key: string | null) =>
  tx.rows(sql`
    delete from vouchers
     where org_id = ${organizationId} and identity_id = ${id} and key is distinct from ${key}`)

/** `isVouched`: the directory vouches for it. Of a person those that it vouches for come first, for there is a limit. */
export type DirectoryHandle = Handle & { isVouched: boolean }

/**
 * Makes these the handles that a directory gives the person; what a key wrote, or somebody else vouches for, stays. One that is vouched for
 * as another person's stays there: see `vouchedForAsOthers`. One for which nobody vouches gives way to the directory's word.
 */
export async function keepDirectoryHandles(
  tx: Transaction,
  organizationId: string,
  { personId, directoryId }: { personId: string; directoryId: string },
  wanted: DirectoryHandle[],
) {
  const rows = fragment`
    unnest(${wanted.map(({ type }) => type)}::text[], ${wanted.map(({ key }) => key)}::text[],
           ${wanted.map(({ value }) => value)}::text[], ${wanted.map(({ isVouched }) => isVouched)}::bool[])
      with ordinality as w (type, key, value, is_vouched, number)`
  // Sent together: each sees what those before it have done.
  const [before, , , , , , after] = await Promise.all([
    lockHandles(tx, organizationId, personId),
    tx.rows(sql`
      delete from vouchers v using handles h
       where h.org_id = ${organizationId} and h.person_id = ${personId}
         and v.org_id = h.org_id and v.type = h.type and v.key = h.key and v.directory_id = ${directoryId}
         and not exists (select from ${rows} where w.type = v.type and w.key = v.key and w.is_vouched)`),
    tx.rows(sql`
      delete from handles h
       where h.org_id = ${organizationId} and h.person_id = ${personId} and not h.given and not h.verified
         and not exists (select from ${rows} where w.type = h.type and w.key = h.key)`),
    tx.rows(sql`
      update handles h set value = w.value from ${rows}
       where h.org_id = ${organizationId} and h.person_id = ${personId} and h.type = w.type and h.key = w.key
         and not h.given and h.value <> w.value`),
    tx.rows(sql`
      with own as materialized (
        select type, key, position from handles where org_id = ${organizationId} and person_id = ${personId}
      ), missing as (
        select w.*, row_number() over (order by w.number) as place from ${rows}
         where not exists (select from own where own.type = w.type and own.key = w.key)
         order by w.number
         limit (select greatest(0, ${maxHandles} - count(*)) from own)
      )
      insert into handles (org_id, person_id, type, key, value, verified, vouched_by, given, position)
      select ${organizationId}::uuid, ${personId}::uuid, type, key, value, is_vouched, case when is_vouched then 'directory' end, false,
             (select coalesce(max(position), -1) from own) + place
        from missing order by type, key
      on conflict (org_id, type, key) do update
         set person_id = excluded.person_id, value = excluded.value, given = false, position = excluded.position
       where handles.person_id <> excluded.person_id and not handles.verified and excluded.verified`),
    tx.rows(sql`
      insert into vouchers (org_id, type, key, kind, directory_id)
      select h.org_id, h.type, h.key, 'directory', ${directoryId}::uuid
        from handles h join ${rows} on w.type = h.type and w.key = h.key
       where h.org_id = ${organizationId} and h.person_id = ${personId} and w.is_vouched
       order by h.type, h.key
      on conflict do nothing`),
    lockHandles(tx, organizationId, personId),
  ])
  return { before, after }
}

/** Those that are vouched for as another person's. */
export const vouchedForAsOthers = (queries: Queries, organizationId: string, personId: string, handles: Handle[]) =>
  queries.rows(sql<Pick<Handle, 'type' | 'key'>>`
    select h.type, h.key
      from handles h
      join unnest(${handles.map(({ type }) => type)}::text[], ${handles.map(({ key }) => key)}::text[]) as w (type, key) using (type, key)
     where h.org_id = ${organizationId} and h.person_id <> ${personId} and h.verified`)
