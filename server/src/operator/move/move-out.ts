import { setTimeout as sleep } from 'node:timers/promises'
import {
  announceRevocation,
  countInFlight,
  countNewLogouts,
  pauseLanesForMove,
  queueUnqueued,
} from '../../delivery/queue/index.ts'
import type { Transaction } from '../../ground/database/database.ts'
import { lockOrganization } from '../../ground/database/lock-organization.ts'
import { daysWith } from '../../ground/database/time-partitions.ts'
import { toTimestamp } from '../../ground/runtime/clock.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { hashOf } from '../../ground/runtime/secret-hash.ts'
import { closeOrganization, lockMove, refuseIfOperators, saveMove } from '../../identity/organizations/index.ts'
import { type Cell, readCommon, recordStep } from './cell.ts'
import { makeCode } from './codes.ts'
import { decryptRows, type Header, listMovedTables } from './contents.ts'
import { listWriters, rowsOf } from './move-store.ts'
import { findPositionsOf } from './position-store.ts'
import { sealTo } from './sealed-file.ts'

/** Longer than a statement may take (130 s), and so than any transaction of a request. */
const writersWaitMs = 150_000
/** Longer than a lease: a worker that died leaves its leases to end. */
const deliveriesWaitMs = 60_000
const pollMs = 50

export type Progress = (step: string) => void
type Options = { file: string; passphrase: string; onProgress: Progress }

/**
 * The first step: from its commit on the organization is answered with 423 here, and nothing of it is written or delivered. Then
 * all it has is written into the sealed file. May be killed and run again at any time.
 */
export async function moveOut(cell: Cell, organizationId: string, { file, passphrase, onProgress }: Options) {
  const { database, keyring, operatorGroup } = cell
  refuseIfOperators(operatorGroup, organizationId)
  const common = await readCommon(database.write, keyring)
  const moveId = await mark(cell, organizationId)
  onProgress('Marked: its calls are answered with 423')
  await endWriters(cell, onProgress)
  await endLogouts(cell, organizationId, onProgress)
  // A webhook may have been created while the mark waited for a lane.
  await pauseLanesForMove(database.write, organizationId, 'all')
  await announceRevocation(database.write, organizationId)
  await endDeliveries(cell, organizationId, onProgress)
  const write = await sealTo(file, passphrase)
  return database.transaction(async (tx) => {
    await tx.rows({ name: '', text: 'set transaction isolation level repeatable read, read only', values: [] })
    const counts: Counts = {}
    await write(messages(tx, cell, { organizationId, moveId, ...common }, counts, onProgress))
    return { rows: sumOf(counts) }
  })
}

/** Gives the id of the move: that of the earlier run, where there was one. */
const mark = (cell: Cell, organizationId: string): Promise<string> =>
  cell.database.transaction(async (tx) => {
    const isServed = await lockOrganization(tx, organizationId)
    const move = await lockMove(tx, organizationId)
    if (move?.state === 'leaving') return move.moveId
    if (move?.state === 'arrived') throw new Error('organization: has arrived here, and is not served yet')
    if (!isServed) throw new Error(`organization: ${move ? 'has moved from here' : 'there is none with this id'}`)
    const now = cell.clock.now()
    const moveId = makeId(now)
    await pauseLanesForMove(tx, organizationId, 'webhooks')
    await closeOrganization(tx, organizationId)
    await recordStep(cell, tx, organizationId, 'moveOrganizationOut')
    await saveMove(
      tx,
      organizationId,
      { moveId, state: 'leaving', startCodeHash: null, importId: null },
      toTimestamp(now),
    )
    return moveId
  })

/** Waits for the transactions that may have begun to write before the mark was committed. */
async function endWriters({ database, clock }: Cell, onProgress: Progress) {
  const until = clock.now() + writersWaitMs
  let writers = await listWriters(database.write)
  for (; writers.length > 0; await sleep(pollMs)) {
    if (clock.now() > until)
      throw new Error(
        `database: a transaction is still open that began before the mark (${writers[0]}); end it, and run this again`,
      )
    onProgress(`Waiting for ${writers.length} open transactions`)
    const open = new Set(await listWriters(database.write))
    writers = writers.filter((writer) => open.has(writer))
  }
}

/**
 * Applications hear of each sign-out before the organization moves. What their first answer, or none, leaves to be repeated moves with it,
 * and so does what nobody sends, where no worker runs.
 */
async function endLogouts({ database, clock }: Cell, organizationId: string, onProgress: Progress) {
  const until = clock.now() + deliveriesWaitMs
  const count = () => countNewLogouts(database.write, organizationId)
  for (let left = await count(); left > 0 && clock.now() < until; left = await count()) {
    onProgress(`Waiting for ${left} logout tokens`)
    await sleep(pollMs)
  }
}

async function endDeliveries({ database, clock }: Cell, organizationId: string, onProgress: Progress) {
  const until = clock.now() + deliveriesWaitMs
  const count = () => countInFlight(database.write, organizationId, clock.now())
  for (let left = await count(); left > 0; left = await count()) {
    if (clock.now() > until) throw new Error(`deliveries: ${left} are still in flight; run this again`)
    onProgress(`Waiting for ${left} deliveries in flight`)
    await sleep(pollMs)
  }
  await queueUnqueued(database.write, organizationId, toTimestamp(clock.now()))
}

/** Rows by table. */
export type Counts = Record<string, number>

export const sumOf = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

type Moving = Pick<Header, 'organizationId' | 'moveId' | 'baseUrl' | 'migrations'>

/** The header, the rows, and last the counts. */
async function* messages(tx: Transaction, { keyring }: Cell, moving: Moving, counts: Counts, onProgress: Progress) {
  const { organizationId, moveId } = moving
  yield {
    ...moving,
    positions: await findPositionsOf(tx, organizationId),
    days: await daysWith(tx, organizationId),
    receipt: makeCode(keyring, moveId, 'receipt'),
    startCodeHash: hashOf(makeCode(keyring, moveId, 'start code')).toString('hex'),
  } satisfies Header
  for (const table of await listMovedTables(tx))
    for await (const batch of rowsOf(tx, organizationId, table)) {
      counts[table.name] = (counts[table.name] ?? 0) + batch.rows.length
      onProgress(`Rows written: ${sumOf(counts)}`)
      yield decryptRows(keyring, batch)
    }
  yield { counts }
}
