import type { Database, Queries } from '../../ground/database/database.ts'
import type { Fragment } from '../../ground/database/sql.ts'
import { badRequest } from '../../ground/errors.ts'
import { endOfNewest, type Positions } from '../../ground/positions/index.ts'
import { hasReached } from './feed-store.ts'
import {
  type Bounds,
  boundsOf,
  lookAt,
  type NewestRow,
  newestEvents,
  newestPosition,
  type Wanted,
} from './newest-store.ts'

/** Events that one look compares, and looks for one page, where the index that is walked does not answer all that is asked. */
export const eventsPerLook = 1_000
export const maxLooks = 10

/** Payload of one page: an event may have 100 kB. */
const maxPageBytes = 2_097_152

/** `since`, `until`: RFC 3339. */
type Search = Omit<Wanted, keyof Span> & {
  since: string | undefined
  until: string | undefined
  after: string | undefined
  limit: number
  columns: Fragment
}

type Found<Row> = Row & { position: number; id: string; payload: string }

/** A page may be short; `next` says where to go on. */
export type Newest = {
  /** Throws a 400 or a 410. */
  read<Row>(organizationId: string, search: Search): Promise<{ rows: Found<Row>[]; next: string | undefined }>
}

/**
 * The events of an organization with the newest first. What stands after an event that was shown once stays so: none comes before it any
 * more. `list`: its name, which is in its cursors.
 */
export function createNewest(
  { database, positions }: { database: Pick<Database, 'pages'>; positions: Positions },
  list: string,
): Newest {
  const queries = database.pages
  const cursors = positions.cursors(list, hasReached(queries))
  const boundsFrom = async (organizationId: string, after: string | undefined, span: Span): Promise<Bounds> => {
    const before = after === undefined ? Number.MAX_SAFE_INTEGER : await cursors.read(organizationId, after)
    const end = await endOfNewest(positions, await newestPosition(queries, organizationId))
    const { low, high } = await boundsOf(queries, organizationId, span)
    return { low, high: Math.min(before, end + 1, high) }
  }
  return {
    read: async <Row>(organizationId: string, { after, since, until, ...search }: Search) => {
      const span = readSpan(since, until)
      const bounds = await boundsFrom(organizationId, after, span)
      const { rows, next } = await readPage<Row>(queries, organizationId, { ...search, ...span, bounds })
      return { rows, next: next === undefined ? undefined : await cursors.write(next) }
    },
  }
}

type Span = Pick<Wanted, 'since' | 'until'>

function readSpan(since: string | undefined, until: string | undefined): Span {
  const span = {
    since: since === undefined ? 0 : Date.parse(since),
    until: until === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(until),
  }
  if (span.since > span.until) throw badRequest('invalid_value', 'since: must not be after until')
  return span
}

type Page = Wanted & { bounds: Bounds; limit: number; columns: Fragment }

/** One look after the other, so that what hardly any event matches costs no more than those looks. */
async function readPage<Row>(queries: Queries, organizationId: string, { bounds, limit, columns, ...wanted }: Page) {
  const rows: Found<Row>[] = []
  let { high } = bounds
  let bytes = maxPageBytes
  for (let looks = 0; looks < maxLooks; looks++) {
    const unseen = { ...bounds, high }
    const last =
      wanted.matching && (await lookAt(queries, organizationId, { wanted, bounds: unseen, limit: eventsPerLook }))
    const [low, left] = [last === undefined ? bounds.low : last - 1, limit - rows.length]
    const asked = { wanted, bounds: { low, high }, limit: left + 1, bytes, columns }
    const found = await newestEvents<Row>(queries, organizationId, asked)
    const shown = found.slice(0, left).filter((row): row is Found<Row> & NewestRow => row.payload !== null)
    rows.push(...shown)
    if (shown.length < found.length) return { rows, next: rows.at(-1)?.position }
    if (last === undefined) return { rows, next: undefined }
    bytes -= shown.reduce((sum, { payload }) => sum + Buffer.byteLength(payload), 0)
    high = last
  }
  return { rows, next: high }
}
