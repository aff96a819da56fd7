import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from '../../ground/database/database.ts'
import { makePartitionsOf } from '../../ground/database/time-partitions.ts'
import {
  insertMovedSegments,
  layOut,
  type MovedSegment,
  positionsNeeded,
  reservePositions,
  segmentsBehind,
} from '../../ground/positions/index.ts'
import { toTimestamp } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { findMove, refuseIfOperators, saveMove } from '../../identity/organizations/index.ts'
import { type Cell, readCommon, recordStep } from './cell.ts'
import { codeFor } from './codes.ts'
import { encryptRows, type Header, listMovedTables, type Rows } from './contents.ts'
import { type Counts, type Progress, sumOf } from './move-out.ts'
import { existsOrganization, insertRows } from './move-store.ts'
import { openSealed } from './sealed-file.ts'

type Options = { file: string; passphrase: string; onProgress: Progress }

/**
 * The second step, at the next cell: imports the organization in one transaction, still not served.
 * Gives the receipt for the former one. May be killed and run again at any time, as long as the file is there.
 */
export async function moveIn(cell: Cell, { file, passphrase, onProgress }: Options) {
  const { database, keyring, operatorGroup } = cell
  const read = await openSealed(file, passphrase)
  const header = await readHeader(read)
  const { organizationId, receipt } = header
  refuseIfOperators(operatorGroup, organizationId)
  refuseOther(header, await readCommon(database.write, keyring))
  const importId = (await findImport(cell, header)) ?? (await importAll(cell, header, { read, onProgress }))
  return { organizationId, receipt: codeFor(receipt, importId) }
}

async function readHeader(read: Reading['read']): Promise<Header> {
  for await (const header of read()) return header as Header
  throw new Error('file: is empty')
}

function refuseOther({ baseUrl, migrations }: Header, here: Pick<Header, 'baseUrl' | 'migrations'>) {
  if (baseUrl !== here.baseUrl)
    throw new Error(
      `SIGNET_BASE_URL: is ${here.baseUrl} here and was ${baseUrl}, which is in every issuer and callback; it must be the same`,
    )
  if (!isDeepStrictEqual(migrations, here.migrations))
    throw new Error('database: its schema is another one than that of the file; run the same release of Signet at both')
}

/** Of an earlier run. Throws where the organization is here already, and not by this move. */
async function findImport({ database }: Cell, { organizationId, moveId }: Header): Promise<string | undefined> {
  const move = await findMove(database.write, organizationId)
  if (move?.state === 'arrived' && move.moveId === moveId) return move.importId ?? undefined
  if (move?.state === 'gone' && move.moveId === moveId)
    throw new Error('organization: was given up here in the very move of this file')
  if (!(await existsOrganization(database.write, organizationId))) return undefined
  const why = {
    arrived: 'has arrived here by another move: undo that one first',
    leaving: 'is leaving from here',
    gone: 'has moved from here, and what it had is still being removed (ten minutes and some)',
  }
  throw new Error(`organization: ${move ? why[move.state] : 'is here already'}`)
}

/** `read`: reads the file from its beginning, as often as the transaction is tried. */
type Target = { organizationId: string; moved: MovedSegment[] }
type Reading = { read: () => AsyncGenerator<unknown>; onProgress: Progress }

async function importAll(cell: Cell, header: Header, reading: Reading): Promise<string> {
  const { database, clock } = cell
  const { organizationId, moveId, positions } = header
  const importId = makeId(clock.now())
  await makePartitionsOf(database, header.days)
  const moved = layOut(positions.segments, await reservePositions(database, positionsNeeded(positions.segments)))
  await database.transaction(async (tx) => {
    await insertAll(tx, cell, { organizationId, moved }, reading)
    await insertMovedSegments(tx, organizationId, segmentsBehind(moved, positions.earlier))
    await recordStep(cell, tx, organizationId, 'moveOrganizationIn')
    const startCodeHash = Buffer.from(header.startCodeHash, 'hex')
    await saveMove(tx, organizationId, { moveId, state: 'arrived', startCodeHash, importId }, toTimestamp(clock.now()))
  })
  return importId
}

/** Reads the file to its end, so that nothing is committed of one that is not whole. */
async function insertAll(
  tx: Transaction,
  { keyring }: Cell,
  { organizationId, moved }: Target,
  { read, onProgress }: Reading,
) {
  const tables = new Map((await listMovedTables(tx)).map((table) => [table.name, table]))
  const counts: Counts = {}
  let expected: Counts | undefined
  for await (const message of read()) {
    if (isRows(message)) {
      const table = tables.get(message.table)
      if (!table) throw new Error('file: has rows of a table that is not here')
      await insertRows(tx, organizationId, table, encryptRows(keyring, message).rows, moved)
      counts[message.table] = (counts[message.table] ?? 0) + message.rows.length
      onProgress(`Rows imported: ${sumOf(counts)}`)
    } else expected = (message as { counts?: Counts }).counts ?? expected
  }
  if (!isDeepStrictEqual(counts, expected))
    throw new Error('file: does not have the number of rows that it names; write it again with `signet move out`')
}

const isRows = (message: unknown): message is Rows => (message as Rows).rows !== undefined
