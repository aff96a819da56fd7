import { type Fragment, fragment } from '../../../ground/database/sql.ts'
import { isUuid } from '../../../ground/runtime/identifiers.ts'
import { foldCase } from '../schema/attributes.ts'
import { type KnownPath, nameOf } from '../schema/paths.ts'
import type { Filter, Operator } from './filter.ts'

/**
 * How an attribute is compared. `value` is null where there is none. `folded`: made with `foldCase`, for an attribute that is not
 * `caseExact`; without it, `lower(value)` is compared. `each`: a multi-valued attribute; `exists` says that one of its values fulfils
 * a condition on `columns`, which are those of its sub-attributes.
 */
export type Column =
  | { type: 'text'; value: Fragment; folded?: Fragment }
  | { type: 'uuid' | 'boolean' | 'time'; value: Fragment }
  | { type: 'each'; exists: (condition: Fragment) => Fragment; columns: Columns }

/** By the path: `userName`, `name.givenName`, `emails`, `urn:…:User:manager.value`. What is not in it has no value. */
export type Columns = Readonly<Record<string, Column>>

/**
 * All that the client wrote becomes parameters. Null stands for false. The statement with it must be `unnamed`.
 */
export function toCondition(filter: Filter, columns: Columns): Fragment {
  if (filter.is === 'nothing') return fragment`false`
  if (filter.is === 'not') return fragment`not coalesce(${toCondition(filter.of, columns)}, false)`
  if (filter.is === 'and' || filter.is === 'or')
    return joined(
      filter.is,
      filter.of.map((part) => toCondition(part, columns)),
    )
  if (filter.is === 'among') return ofValues(filter.path, columns, (within) => toCondition(filter.filter, within))
  const { path } = filter
  const condition = (column: Column) => (filter.is === 'present' ? isPresent(column) : compare(column, filter, path))
  return ofPath(path, columns, condition)
}

type Comparison = Extract<Filter, { is: 'compare' }>

function joined(is: 'and' | 'or', [first, ...rest]: Fragment[]): Fragment {
  const link = (whole: Fragment, part: Fragment) =>
    is === 'and' ? fragment`${whole} and ${part}` : fragment`${whole} or ${part}`
  return fragment`(${rest.reduce(link, first ?? fragment`true`)})`
}

/** A part of a multi-valued attribute is that of one of its values. */
function ofPath(path: KnownPath, columns: Columns, condition: (column: Column) => Fragment): Fragment {
  if (!path.attribute.multiValued) return ofColumn(columns, nameOf(path), condition)
  const { sub } = path
  if (!sub) return ofColumn(columns, nameOf(path), condition)
  return ofValues(path, columns, (within) => ofColumn(within, sub.name, condition))
}

/** Of a complex attribute with one value, the parts stand beside each other. */
function ofValues(path: KnownPath, columns: Columns, condition: (within: Columns) => Fragment): Fragment {
  const { sub: _, ...whole } = path
  const name = nameOf(whole)
  if (path.attribute.multiValued)
    return ofColumn(columns, name, (column) =>
      column.type === 'each' ? column.exists(condition(column.columns)) : fragment`false`,
    )
  const parts = Object.entries(columns).filter(([key]) => key.startsWith(`${name}.`))
  return condition(Object.fromEntries(parts.map(([key, column]) => [key.slice(name.length + 1), column])))
}

const ofColumn = (columns: Columns, name: string, condition: (column: Column) => Fragment): Fragment =>
  Object.hasOwn(columns, name) ? condition(columns[name] as Column) : fragment`false`

const isPresent = (column: Column) =>
  column.type === 'each' ? column.exists(fragment`true`) : fragment`${column.value} is not null`

function compare(column: Column, { operator, value }: Comparison, { attribute, sub }: KnownPath): Fragment {
  if (column.type === 'each') return fragment`false`
  if (value === null)
    return operator === 'eq' ? fragment`${column.value} is null` : fragment`${column.value} is not null`
  if (column.type === 'text') {
    const { caseExact } = sub ?? attribute
    if (caseExact) return compareTexts(column.value, operator, fragment`${value}::text`)
    return column.folded
      ? compareTexts(column.folded, operator, fragment`${foldCase(String(value))}::text`)
      : compareTexts(fragment`lower(${column.value})`, operator, fragment`lower(${value}::text)`)
  }
  if (column.type === 'uuid') return compareIds(column.value, operator, String(value))
  return column.type === 'time'
    ? compareValues(column.value, operator, fragment`${value}::timestamptz`)
    : compareValues(column.value, operator, fragment`${value}::boolean`)
}

/** A text that is no UUID is that of no row, and an index serves one that is. */
function compareIds(id: Fragment, operator: Operator, value: string): Fragment {
  if (operator !== 'eq' || !isUuid(value))
    return compareTexts(fragment`${id}::text`, operator, fragment`${value}::text`)
  return fragment`${id} = ${value}::uuid`
}

/** No pattern: a `%` is a `%`. */
function compareTexts(text: Fragment, operator: Operator, value: Fragment): Fragment {
  if (operator === 'co') return fragment`strpos(${text}, ${value}) > 0`
  if (operator === 'sw') return fragment`starts_with(${text}, ${value})`
  if (operator === 'ew') return fragment`right(${text}, length(${value})) = ${value}`
  return compareValues(fragment`${text} collate "C"`, operator, value)
}

function compareValues(left: Fragment, operator: Operator, right: Fragment): Fragment {
  if (operator === 'ne') return fragment`${left} is distinct from ${right}`
  if (operator === 'gt') return fragment`${left} > ${right}`
  if (operator === 'ge') return fragment`${left} >= ${right}`
  if (operator === 'lt') return fragment`${left} < ${right}`
  if (operator === 'le') return fragment`${left} <= ${right}`
  return fragment`${left} = ${right}`
}
