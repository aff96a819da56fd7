import { createHash } from 'node:crypto'
import type { Database, Transaction } from '../database/database.ts'
import { idempotencyKeyInUse, idempotencyKeyReused } from '../errors.ts'
import type { Answer, AnswerOnce, KeyedCall } from '../http/chain/idempotency-key.ts'
import type { Keyring } from '../keys/index.ts'
import type { Clock } from '../runtime/clock.ts'
import { toTimestamp } from '../runtime/clock.ts'
import { findAnswer, insertAnswer, type KeptAnswer, lockCall } from './idempotency-store.ts'
import { keptSince } from './sweep.ts'

type Dependencies = {
  database: Database
  keyring: Keyring
  clock: Clock
  /** Told of each answer that was kept. */
  onKept: (organizationId: string) => void
}

const column = 'idempotency_keys.sealed_answer'

/**
 * Runs `handle` in one transaction with what is kept of its answer: either both are committed, or neither. Where there is an answer
 * already, gives that. Throws a 422 where it was given to another request, and a 409 while the first call is being handled. What
 * `handle` throws rolls all back, so that no refusal is kept.
 */
export function createAnswerOnce({ database, keyring, clock, onKept }: Dependencies): AnswerOnce {
  const keep = async (tx: Transaction, call: KeyedCall, callHash: Buffer, { status, body, subjectId }: Answer) => {
    const { organizationId, requestHash } = call
    const sealed = subjectId === undefined ? null : keyring.encrypt(body, { organizationId, column })
    const now = clock.now()
    const content = { answer: sealed ? null : body, sealed, subjectId, createdAt: toTimestamp(now) }
    const answer = { requestHash, status, ...content }
    if (!(await insertAnswer(tx, organizationId, callHash, answer, keptSince(now)))) throw idempotencyKeyInUse()
    tx.afterCommit(() => onKept(organizationId))
  }

  const open = ({ organizationId }: KeyedCall, { status, answer, sealed }: KeptAnswer) => ({
    status,
    body: answer ?? keyring.decrypt(sealed as Buffer, { organizationId, column }).toString(),
  })

  return (call, handle) => {
    const callHash = createHash('sha256').update(`${call.apiKeyId} ${call.idempotencyKey}`).digest()
    return database.together(async (tx) => {
      // Two statements with a snapshot each: an answer that was committed before the lock was taken is seen.
      const [isFirst, kept] = await Promise.all([
        lockCall(tx, lockNumber(call, callHash)),
        findAnswer(tx, call.organizationId, callHash, keptSince(clock.now())),
      ])
      if (kept && !kept.requestHash.equals(call.requestHash)) throw idempotencyKeyReused()
      if (kept) return { ...open(call, kept), isReplayed: true }
      if (!isFirst) throw idempotencyKeyInUse()
      const answer = await handle()
      await keep(tx, call, callHash, answer)
      return { ...answer, isReplayed: false }
    })
  }
}

/** The same key of two organizations is two calls. */
const lockNumber = ({ organizationId }: KeyedCall, callHash: Buffer): number =>
  createHash('sha256').update(organizationId).update(callHash).digest().readInt32BE()
