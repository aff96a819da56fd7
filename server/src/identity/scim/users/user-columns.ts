import { type Fragment, fragment } from '../../../ground/database/sql.ts'
import { emailKeyOf } from '../../directories/index.ts'
import type { Filter } from '../filter/filter.ts'
import type { Column, Columns } from '../filter/to-condition.ts'
import { type Attribute, foldCase } from '../schema/attributes.ts'
import { userSchema } from '../schema/user-schema.ts'

/** What stands in columns of its own, of a user `u`. */
const own: Columns = {
  id: { type: 'uuid', value: fragment`u.person_id` },
  userName: { type: 'text', value: fragment`u.user_name`, folded: fragment`u.user_name_key` },
  externalId: { type: 'text', value: fragment`u.external_id` },
  active: {
    type: 'boolean',
    value: fragment`(select p.directory_active from persons p where p.org_id = u.org_id and p.id = u.person_id)`,
  },
  'meta.created': { type: 'time', value: fragment`u.created_at` },
  'meta.lastModified': { type: 'time', value: fragment`u.updated_at` },
  groups: {
    type: 'each',
    exists: (condition) => fragment`exists (
      select from memberships m
        join directory_groups g on g.org_id = m.org_id and g.group_name = m.group_name and g.directory_id = u.directory_id
       where m.org_id = u.org_id and m.person_id = u.person_id and ${condition})`,
    columns: {
      value: { type: 'uuid', value: fragment`g.id` },
      display: { type: 'text', value: fragment`g.display_name`, folded: fragment`g.display_key` },
    },
  },
}

/** Of what is kept as it was sent. */
function columnsIn(from: Fragment, prefix: string, attributes: Attribute[]): Columns {
  const entries = attributes.flatMap((attribute): [string, Column][] => {
    const { name, multiValued, subAttributes = [] } = attribute
    if (multiValued) return [[prefix + name, eachOf(from, attribute)]]
    if (subAttributes.length === 0) return [[prefix + name, columnOf(from, attribute)]]
    const within = fragment`(${from} -> ${name}::text)`
    return subAttributes.map((sub) => [`${prefix}${name}.${sub.name}`, columnOf(within, sub)])
  })
  return Object.fromEntries(entries)
}

function eachOf(from: Fragment, { name, subAttributes = [] }: Attribute): Column {
  return {
    type: 'each',
    exists: (condition) => fragment`exists (
    select from jsonb_array_elements(${from} -> ${name}::text) as each (value) where ${condition})`,
    columns: Object.fromEntries(subAttributes.map((sub) => [sub.name, columnOf(fragment`each.value`, sub)])),
  }
}

function columnOf(from: Fragment, { name, type }: Attribute): Column {
  const text = fragment`(${from} ->> ${name}::text)`
  if (type === 'boolean') return { type, value: fragment`${text}::boolean` }
  return type === 'dateTime' ? { type: 'time', value: fragment`${text}::timestamptz` } : { type: 'text', value: text }
}

/** How the attributes of users are compared. */
export const userColumns: Columns = {
  ...columnsIn(fragment`u.attributes`, '', userSchema.attributes),
  ...Object.assign(
    {},
    ...userSchema.extensions.map(({ id, attributes }) =>
      columnsIn(fragment`(u.attributes -> ${id}::text)`, `${id}:`, attributes),
    ),
  ),
  ...own,
}

/** The same condition, with what an index finds of it in front: addresses that it asks for. */
export function narrowing(directoryId: string, filter: Filter, condition: Fragment): Fragment {
  const keys = addressesIn(filter).map((address) => emailKeyOf(directoryId, foldCase(address)))
  return keys.length === 0 ? condition : fragment`u.email_keys @> ${keys}::text[] and ${condition}`
}

/** All of which a user must have. */
function addressesIn(filter: Filter): string[] {
  if (filter.is === 'and') return filter.of.flatMap(addressesIn)
  if (filter.is === 'among') return filter.path.attribute.name === 'emails' ? equalValuesIn(filter.filter) : []
  return filter.is === 'compare' && filter.path.attribute.name === 'emails' ? equalValuesIn(filter) : []
}

function equalValuesIn(filter: Filter): string[] {
  if (filter.is === 'and') return filter.of.flatMap(equalValuesIn)
  if (filter.is !== 'compare' || filter.operator !== 'eq' || typeof filter.value !== 'string') return []
  return (filter.path.sub ?? filter.path.attribute).name === 'value' ? [filter.value] : []
}
