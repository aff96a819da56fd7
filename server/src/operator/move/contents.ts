/** What the file of a move has, and which tables: a header, and then the rows as JSON. */
import type { Queries } from '../../ground/database/database.ts'
import { listTables, type Table } from '../../ground/database/table-order.ts'
import type { DaysOfTables } from '../../ground/database/time-partitions.ts'
import type { Keyring } from '../../ground/keys/index.ts'
import type { PositionsOf } from '../../ground/positions/index.ts'
import { createHandleHashes } from '../../identity/persons/index.ts'
import { encryptedColumns } from '../installation/index.ts'

export type Header = {
  moveId: string
  organizationId: string
  baseUrl: string
  migrations: string[]
  positions: PositionsOf
  days: DaysOfTables
  /** The receipt, and the hash of the start code. */
  receipt: string
  startCodeHash: string
}

/** Rows of one table. */
export type Rows = { table: string; rows: string[] }

/** Sessions of the console end with the move, and a repeated call finds no answer. `moved_positions` is not copied row by row: the header carries it. */
const notMoved = ['console_sessions', 'console_sign_ins', 'idempotency_keys', 'moved_positions', 'moved_organizations']

/** A table with rows of organizations. `organizationColumn` names the organization. */
export type MovedTable = Table & { organizationColumn: string }

/** Each after those that it refers to. */
export async function listMovedTables(queries: Queries): Promise<MovedTable[]> {
  const tables = (await listTables(queries)).filter(({ name }) => !notMoved.includes(name))
  return tables
    .map((table) => ({ ...table, organizationColumn: table.name === 'organizations' ? 'id' : 'org_id' }))
    .filter(({ columns, organizationColumn }) => columns.includes(organizationColumn))
}

type Recrypt = (keyring: Keyring, value: Buffer, place: Parameters<Keyring['encrypt']>[1]) => Buffer
const decrypted: Recrypt = (keyring, value, place) => keyring.decrypt(value, place)
const encrypted: Recrypt = (keyring, value, place) => keyring.encrypt(value, place)

/** The rows with their secrets in clear; the file is sealed as a whole. */
export const decryptRows = (keyring: Keyring, rows: Rows) => recryptRows(keyring, rows, decrypted)
/** The rows with their secrets under this cell's master key. */
export const encryptRows = (keyring: Keyring, rows: Rows) =>
  rows.table === 'events' ? rehashHandles(keyring, rows) : recryptRows(keyring, rows, encrypted)

/** Addresses of sign-ins are found by hashes under this cell's master key. That of a person who was deleted stays as it was. */
function rehashHandles(keyring: Keyring, { table, rows }: Rows): Rows {
  const hashes = createHandleHashes(keyring)
  const change = (text: string) => {
    if (text.includes('"handle_value":null')) return text
    const { org_id, handle_type, handle_value, ...row } = JSON.parse(text)
    const handle_hash = hashes.ofHandle(org_id, handle_type, handle_value)
    return JSON.stringify({ ...row, org_id, handle_type, handle_value, handle_hash })
  }
  return { table, rows: rows.map(change) }
}

function recryptRows(keyring: Keyring, { table, rows }: Rows, recrypt: Recrypt): Rows {
  const columns = encryptedColumns.filter((each) => each.table === table).map(({ column }) => column)
  if (columns.length === 0) return { table, rows }
  const change = (text: string) => {
    const row = JSON.parse(text)
    for (const column of columns) {
      // As PostgreSQL writes `bytea` in JSON.
      const value = row[column] === null ? undefined : Buffer.from(row[column].slice(2), 'hex')
      const place = { organizationId: row.org_id, column: `${table}.${column}` }
      if (value) row[column] = `\\x${recrypt(keyring, value, place).toString('hex')}`
    }
    return JSON.stringify(row)
  }
  return { table, rows: rows.map(change) }
}
