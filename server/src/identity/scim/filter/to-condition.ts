import type { Fragment } from '../../../ground/database/sql.ts'
import type { Filter } from './filter.ts'

/**
 * How an attribute is compared. `value` is null where there is none. `folded`: made with `foldCase`, for an attribute that is not
 * `caseExact`; without it, `lower(value)` is compared. `each`: a multi-valued attribute; `exists` says that one of its values fulfils
 * a condition on `columns`, which are those of its sub-attributes.
 */
export type Column =
  | { type: 'text'; value: Fragment; folded?: Fragment }
  | { type: 'uuid'; value: Fragment }
  | { type: 'boolean'; value: Fragment }
  | { type: 'time'; value: Fragment }
  | { type: 'each'; exists: (condition: Fragment) => Fragment; columns: Columns }

/** By the path: `userName`, `name.givenName`, `emails`, `urn:…:User:manager.value`. What is not in it has no value. */
export type Columns = Record<string, Column>

/**
 * All that the client wrote becomes parameters. A statement with it must be unnamed: `{ ...sql`…`, name: '' }`, else each connection keeps
 * a prepared statement for each filter.
 */
export function toCondition(_filter: Filter, _columns: Columns): Fragment {
  throw new Error('not built yet')
}
