import type { Transaction } from '../../../ground/database/database.ts'
import { type Fragment, fragment, sql } from '../../../ground/database/sql.ts'
import type { Role } from '../../../ground/http/chain/roles.ts'

/** The members of the group enter the console in that role. */
export type ConsoleAccess = { group: string; role: Role }

/** As a column of a statement: the groups in byte order. */
export const consoleAccessOf = (organizationId: string): Fragment => fragment`
  (select coalesce(json_agg(json_build_object('group', group_name, 'role', role) order by group_name), '[]')
     from console_access where org_id = ${organizationId})`

/** Call it only under `lockConsoleAccess`. */
export const replaceConsoleAccess = (tx: Transaction, organizationId: string, access: ConsoleAccess[]) =>
  tx.rows(sql`
    with given as (
      select group_name, role
        from unnest(${access.map(({ group }) => group)}::text[], ${access.map(({ role }) => role)}::text[]) as g (group_name, role)
    ), removed as (
      delete from console_access
       where org_id = ${organizationId}::uuid and group_name <> all (select group_name from given)
    )
    insert into console_access (org_id, group_name, role)
    select ${organizationId}::uuid, group_name, role from given order by group_name
    on conflict (org_id, group_name) do update set role = excluded.role`)

/** Any fixed number: the first part of these locks. */
const accessLock = 1_936_291_043
const lockOf = (organizationId: string): Fragment => fragment`${accessLock}, hashtext(${organizationId})`

/**
 * Until the transaction ends nobody else changes which groups open the console, decides by it who may change their members, or takes an
 * owner away. It is the first lock of a transaction. Two organizations that share its number by chance wait for one another.
 */
export const lockConsoleAccess = (tx: Transaction, organizationId: string) =>
  tx.rows(sql`select pg_advisory_xact_lock(${lockOf(organizationId)})`)

/** Until the transaction ends the groups that open the console stay as they are. It is the first lock of a transaction. */
export const holdConsoleAccess = (tx: Transaction, organizationId: string) =>
  tx.rows(sql`select pg_advisory_xact_lock_shared(${lockOf(organizationId)})`)
