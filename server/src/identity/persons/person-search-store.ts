import { beginsWith, type SearchTerm } from '../../ground/database/begins-with.ts'
import type { Queries } from '../../ground/database/database.ts'
import { fragment, sql } from '../../ground/database/sql.ts'
import { type Handle, handleTypes, readHandle, toHandlePrefix } from './handle.ts'

type FoundPerson = { id: string; handle: Pick<Handle, 'type' | 'value'> | null }

/** A person has at most 20 handles: among so many are those of five persons. */
const maxHandlesRead = 100

/**
 * The one with the id, those with the handle, and those with a handle that begins so, in the order of its key. Whoever types a phone
 * number may leave out its `+`, which a form turns into a blank.
 */
export function searchPersons(queries: Queries, organizationId: string, { text, id, limit }: SearchTerm) {
  const keys = handleTypes.flatMap((type) => readHandle(type, plain(text))?.key ?? [])
  return queries.rows(sql<FoundPerson>`
    with beginning as (
      select person_id, type, value, key from (
        (select person_id, type, value, key from handles
          where org_id = ${organizationId} and type = 'EmailAddress' and ${begins(toHandlePrefix(text))}
          order by key limit ${maxHandlesRead})
        union all
        (select person_id, type, value, key from handles
          where org_id = ${organizationId} and type = 'PhoneNumber' and ${begins(plain(text))}
          order by key limit ${maxHandlesRead})) each
    ), found as (
      select distinct on (id) id, handle, rank, key from (
        select p.id, (select json_build_object('type', type, 'value', value) from handles
                       where org_id = ${organizationId} and person_id = p.id order by position limit 1) as handle, 0 as rank, '' as key
          from persons p where org_id = ${organizationId} and id = ${id}::uuid
        union all
        select person_id, json_build_object('type', type, 'value', value), 1, key from handles
         where org_id = ${organizationId} and type in ('EmailAddress', 'PhoneNumber') and key = any(${keys}::text[])
        union all
        select person_id, json_build_object('type', type, 'value', value), 2, key from beginning) each
       order by id, rank, key
    )
    select id, handle from found order by rank, key limit ${limit}`)
}

const begins = (prefix: string) => beginsWith(fragment`key`, fragment`${prefix}::text`)

const plain = (text: string) => (/^ ?\d+$/.test(text) ? `+${text.trim()}` : text.replaceAll(' ', '+'))
