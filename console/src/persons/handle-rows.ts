import type { Handle, NewHandle } from '@signet/management'

/** A handle as it is edited. `key` stays with its row. */
export type HandleRow = Handle & { key: number }

/** Never given out again: what was refused of a row that is gone belongs to no other. */
let keys = 0

const toRow = (handle: Handle): HandleRow => ({ ...handle, key: keys++ })

export const toRows = (handles: readonly Handle[]): HandleRow[] => handles.map(toRow)

export const withNewRow = (rows: readonly HandleRow[]): HandleRow[] => [
  ...rows,
  toRow({ type: 'EmailAddress', value: '', verified: false }),
]

/** Another address is as verified as it was before, or not at all: nobody has vouched for it yet. */
export function withAddress(row: HandleRow, address: Partial<Address>, before: readonly Handle[]): HandleRow {
  const { type, value } = { ...row, ...address }
  return { ...row, type, value, verified: wasVerified({ type, value }, before) }
}

/**
 * The handles as the interface takes them. `verified` is left out where it stays as it was: whoever sends it vouches for the
 * handle in place of the provider that did so before.
 */
export function toHandles(rows: readonly HandleRow[], before: readonly Handle[]): NewHandle[] {
  return rows.map(({ type, value, verified }) => ({
    type,
    value: value.trim(),
    ...(verified !== wasVerified({ type, value }, before) && { verified }),
  }))
}

type Address = Pick<Handle, 'type' | 'value'>

const wasVerified = ({ type, value }: Address, before: readonly Handle[]) =>
  before.find((handle) => handle.type === type && isSame(handle.value, value.trim()))?.verified ?? false

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

/** Whether saving would change anything. */
export const areChanged = (rows: readonly HandleRow[], before: readonly Handle[]) =>
  JSON.stringify(rows.map(({ key, ...handle }) => handle)) !== JSON.stringify(before)

/** The fields of a row keep their names when a row above is removed; the interface calls them by their place. */
export const fieldName = ({ key }: HandleRow, member: keyof Handle) => `handle ${key} ${member}`

export const fieldsOf = (rows: readonly HandleRow[]) =>
  rows.flatMap((row, place) =>
    members.map((member) => [`handles[${place}].${member}`, fieldName(row, member)] as const),
  )

const members = ['type', 'value', 'verified'] as const
