import type { Transaction } from '../../../ground/database/database.ts'
import { conflict } from '../../../ground/errors.ts'
import type { Change } from '../../../ground/http/chain/recorded-change.ts'
import { toTimestamp } from '../../../ground/runtime/clock.ts'
import { makeId } from '../../../ground/runtime/identifiers.ts'
import { makeDirectoryToken } from './token-form.ts'
import { toRecord } from './token-record.ts'
import { countTokens, insertToken, removeExpiredTokens } from './token-store.ts'

export const maxTokens = 20

type Given = { name: string | null; expires_at: Date | null }
type Adding = { now: number; record: (tx: Transaction, organizationId: string, change: Change) => Promise<void> }

/** Expired tokens are removed to make room. The directory must be locked. Throws a 409 where there are too many. */
export async function addToken(
  tx: Transaction,
  organizationId: string,
  directoryId: string,
  given: Given,
  { now, record }: Adding,
) {
  await removeExpiredTokens(tx, organizationId, directoryId, toTimestamp(now))
  if ((await countTokens(tx, organizationId, directoryId)) >= maxTokens) throw tooManyTokens()
  const { key: token, hash } = makeDirectoryToken(organizationId)
  const made = { id: makeId(now), ...given, created_at: new Date(now) }
  await insertToken(tx, organizationId, directoryId, { ...made, hash })
  const after = { ...toRecord(made), token }
  const target = { type: 'directory_token' as const, id: made.id }
  await record(tx, organizationId, { target, after: { directory_id: directoryId, ...after } })
  return after
}

const tooManyTokens = () => conflict('limit_reached', `tokens: the directory has ${maxTokens} already; revoke one`)
