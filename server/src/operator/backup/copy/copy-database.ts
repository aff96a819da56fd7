import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { queriesOn } from '../../../ground/database/ask.ts'
import type { Connection } from '../../../ground/database/connection.ts'
import type { Transaction } from '../../../ground/database/database.ts'
import { migrate } from '../../../ground/database/migrate.ts'
import { readable } from '../../../ground/database/server-check.ts'
import type { Table } from '../../../ground/database/table-order.ts'
import { isInEpoch } from '../../../ground/positions/index.ts'
import { toTimestamp } from '../../../ground/runtime/clock.ts'
import { requireNoneAlive } from '../../installation/processes/index.ts'
import {
  type Content,
  copyIn,
  copyOut,
  emptyTables,
  hasOrganizations,
  lockOrganizations,
  makePartition,
  readContent,
  setSequence,
} from './copy-store.ts'
import { type Detached, detachFromSource } from './detach-from-source.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'

export type Progress = {
  step: 'counting' | 'copying' | 'checking'
  table: string
  tables: number
  of_tables: number
  rows: number
  /** Not yet known while they are counted. */
  of_rows: number | undefined
}

export type Copied = Detached & {
  base_url: string
  /** Whatever was acknowledged by then is in it. */
  complete_until: string
  tables: number
  rows: number
}

export type CopyOptions = {
  source: Connection
  /** Must have no organization, and no service that runs on it. Its schema is made here. */
  target: Connection
  /** Leaves the webhooks as they were; else they are paused, so that a copy calls no receiver. */
  deliver: boolean
  /** Stops it, and leaves nothing of it. */
  signal: AbortSignal
  onProgress: (progress: Progress) => void
}

/** Fills the target in one transaction. Throws an Error with one readable line, and then has changed no table of it. */
export async function copyDatabase(options: CopyOptions): Promise<Copied> {
  const { source, target, signal } = options
  const snapshot = await takeSnapshot(source).catch(named('source'))
  const stopWatching = endOnAbort(snapshot.client, signal)
  try {
    const contents = await countAll(snapshot, options)
    const fillTarget = (tx: Transaction, client: pg.Client) => fill(tx, client, { snapshot, contents, options })
    return await migrate(target, fillTarget, undefined, signal).catch(named('target'))
  } catch (error) {
    throw signal.aborted ? new Error('stopped; nothing was copied') : error
  } finally {
    stopWatching()
    await snapshot.client.end()
  }
}

const named = (side: string) => (error: unknown) => {
  throw new Error(`the ${side}: ${readable(error).message}`, { cause: error })
}

/** A statement that reads a large table has no other end. */
function endOnAbort(client: pg.Client, signal: AbortSignal): () => void {
  const end = () => void client.end()
  signal.addEventListener('abort', end)
  return () => signal.removeEventListener('abort', end)
}

async function countAll({ client, tables }: Snapshot, { signal, onProgress }: CopyOptions): Promise<Content[]> {
  const contents: Content[] = []
  for (const [index, table] of tables.entries()) {
    signal.throwIfAborted()
    onProgress({ ...progressOf(tables, index), step: 'counting', rows: total(contents), of_rows: undefined })
    contents.push(await readContent(queriesOn(client), table).catch(named('source')))
  }
  return contents
}

type Filling = { snapshot: Snapshot; contents: Content[]; options: CopyOptions }

async function fill(tx: Transaction, client: pg.Client, filling: Filling): Promise<Copied> {
  const { snapshot, options } = filling
  const { deliver, signal } = options
  await lockOrganizations(tx)
  if (await hasOrganizations(tx))
    throw new Error('it has organizations already, and a copy needs a database without any')
  await requireNoneAlive(tx)
  const stopWatching = endOnAbort(client, signal)
  try {
    await emptyTables(tx, snapshot.tables)
    for (const statement of snapshot.partitions) await makePartition(tx, statement)
    await copyAll(client, filling)
    for (const sequence of snapshot.sequences) await setSequence(tx, sequence)
    await checkAll(tx, filling)
    if (await isInEpoch(tx)) throw new Error('this data was once copied from this database; use a new one')
    return { ...describe(filling), ...(await detachFromSource(tx, { lastPosition: snapshot.last_position, deliver })) }
  } finally {
    stopWatching()
  }
}

async function copyAll(client: pg.Client, { snapshot, contents, options: { signal, onProgress } }: Filling) {
  const of_rows = total(contents)
  let rows = 0
  for (const [index, table] of snapshot.tables.entries()) {
    const report = () => onProgress({ ...progressOf(snapshot.tables, index), step: 'copying', rows, of_rows })
    report()
    await pipeline(
      snapshot.client.query(copyTo(copyOut(table))),
      async function* counted(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          rows += countLines(chunk)
          report()
          yield chunk
        }
      },
      client.query(copyFrom(copyIn(table))),
      { signal },
    )
  }
}

/** Each row is one line: a line feed in a value is written in another way. */
function countLines(chunk: Buffer): number {
  let lines = 0
  for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', at + 1)) lines++
  return lines
}

async function checkAll(tx: Transaction, { snapshot, contents, options: { signal, onProgress } }: Filling) {
  const of_rows = total(contents)
  for (const [index, table] of snapshot.tables.entries()) {
    signal.throwIfAborted()
    const rows = total(contents.slice(0, index))
    onProgress({ ...progressOf(snapshot.tables, index), step: 'checking', rows, of_rows })
    const [is, was] = [await readContent(tx, table), contents[index] as Content]
    if (is.rows !== was.rows || is.hash !== was.hash)
      throw new Error(`${table.name}: its ${is.rows} rows are not the ${was.rows} of the source; nothing was copied`)
  }
}

const describe = ({ snapshot: { base_url, taken_at, tables }, contents }: Filling) => ({
  base_url,
  complete_until: toTimestamp(taken_at.getTime()),
  tables: tables.length,
  rows: total(contents),
})

const progressOf = (tables: Table[], index: number) => ({
  table: tables[index]?.name ?? '',
  tables: index,
  of_tables: tables.length,
})

const total = (contents: Content[]) => contents.reduce((sum, { rows }) => sum + rows, 0)
