import { expect, test } from 'vitest'
import { toTimestamp } from '../../ground/runtime/clock.ts'
import { firstIdAt } from '../../ground/runtime/identifiers.ts'
import type { AttemptEnd, ClaimedDelivery, Observation, ReleaseReason, Settlement } from './delivery.ts'
import { logOutcome, releaseSettlement, settlementOf } from './outcome.ts'

const at = Date.UTC(2026, 10, 22)
const retry = { initialMs: 60_000, maxMs: 900_000, windowMs: 1_800_000 }
const minuteMs = 60_000
const delivery = {
  attemptNumber: 3,
  windowAttempts: 1,
  windowOpenedAt: at,
  eventId: firstIdAt(at - minuteMs),
} as ClaimedDelivery
const settle = (end: AttemptEnd, now = at + 1_000) =>
  settlementOf({ delivery, jti: 'j', at, sent: '' }, end, { clock: { now: () => now }, retry })
const answered = (status: number) =>
  ({ kind: 'answered', status, durationMs: 20, answer: 'no', truncated: false, headers: {}, isText: true }) as const
const sawSuccess = {
  observation: { succeeded: true, tookMs: 15 },
  concurrency: { maxRequests: 10, failures: 0 },
}
const sawFailure = {
  observation: { succeeded: false, tookMs: 15 },
  concurrency: { maxRequests: 5, failures: 1 },
}

const waits = (ms: number) => ({ delivery, attempt: null, retryAt: toTimestamp(at + 1_000 + ms) })

const released = (reason: ReleaseReason, observation?: Observation) =>
  settle({ kind: 'released', reason, ...(observation && { observation }) })

test('A delivery that was not sent is due again: as it was published, or after a minute where it cannot be signed', () => {
  const inItsPlace = waits(-minuteMs - 1_000)
  for (const reason of [
    'waited_too_long',
    'too_late',
    'revoked',
    'stopping',
    'interrupted',
    'unreadable',
    'not_sent',
  ] as const)
    expect(released(reason)).toEqual({ ...inItsPlace, released: reason })
  expect(released('waited_too_long', { waitedMs: 1 })).toMatchObject({ ...inItsPlace, observation: { waitedMs: 1 } })
  for (const reason of ['no_signing_key', 'unreadable_headers', 'not_signed'] as const)
    expect(released(reason)).toMatchObject(waits(60_000))
})

test('A delivery that was attempted before and is released is due at once', () => {
  expect(releaseSettlement({ ...delivery, windowAttempts: 2 }, 'revoked', at)).toMatchObject({
    retryAt: toTimestamp(at),
  })
})

test('Deliveries that were lost with the sender are due in a minute or two, each at a time of its own', () => {
  const times = Array.from({ length: 50 }, () => {
    const settlement = released('sender_failed')
    return 'retryAt' in settlement ? Date.parse(settlement.retryAt) - at - 1_000 : 0
  })
  expect(Math.min(...times)).toBeGreaterThanOrEqual(60_000)
  expect(Math.max(...times)).toBeLessThanOrEqual(120_000)
  expect(new Set(times).size).toBeGreaterThan(40)
})

test('An attempt started when its request had waited, and never later than now', () => {
  const startedAt = (now?: number) =>
    settle({ kind: 'completed', afterMs: 250, outcome: answered(200), ...sawSuccess }, now).attempt?.started_at
  expect(startedAt()).toBe(toTimestamp(at + 250))
  expect(startedAt(at + 100)).toBe(toTimestamp(at + 100))
})

test('The first attempt opens the window when it begins, however long it has waited', () => {
  const first = { ...delivery, windowOpenedAt: null }
  const failedAfter = (afterMs: number, of: ClaimedDelivery) =>
    settlementOf(
      { delivery: of, jti: 'j', at, sent: '' },
      { kind: 'completed', afterMs, outcome: answered(500), ...sawFailure },
      { clock: { now: () => at + afterMs }, retry: { ...retry, windowMs: minuteMs } },
    )
  expect(failedAfter(3_000, first)).toMatchObject({ retryAt: toTimestamp(at + minuteMs + 3_000) })
  expect(failedAfter(3_000, delivery)).toMatchObject({ status: 'dropped', reason: 'retry_window_over' })
})

test('A success ends a delivery, and a failure is retried a minute after its start', () => {
  const succeeded = settle({ kind: 'completed', afterMs: 0, outcome: answered(204), ...sawSuccess })
  expect(succeeded).toMatchObject({ status: 'succeeded', ...sawSuccess })
  const settlement = settle({ kind: 'completed', afterMs: 0, outcome: answered(500), ...sawFailure })
  expect(settlement).toMatchObject({ attempt: { number: 3, status_code: 500, answer: 'no' } })
  expect('retryAt' in settlement && settlement.retryAt).toBe(toTimestamp(at + 60_000))
  expect(settlement).toMatchObject(sawFailure)
})

test('A delivery without a descriptor is due again in a second, as if it had not been claimed', () => {
  const settlement = released('no_descriptors')
  expect(settlement).toMatchObject({ attempt: null, retryAt: toTimestamp(at + 2_000) })
  expect(settlement.observation).toBeUndefined()
})

test('A forbidden address is reported to the operator alone', () => {
  const outcome = { kind: 'failed', error: 'forbidden_address', durationMs: 1 } as const
  const settlement = settle({ kind: 'completed', afterMs: 0, outcome, ...sawFailure })
  expect(settlement.attempt).toMatchObject({ error: 'name_not_found' })
  expect(settlement.error).toBe('forbidden_address')
})

const logged = {
  organizationId: 'o',
  webhookId: 'w',
  eventId: 'e',
  triggerName: 'PersonCreated_v1',
} as ClaimedDelivery
const saw = (succeeded: boolean): Settlement => ({
  ...releaseSettlement(logged, 'revoked', 0),
  observation: { succeeded, tookMs: 1 },
})

function linesOf(settlement: Settlement, level: string): string[] {
  const lines: string[] = []
  const as = (name: string) => (fields: object) => lines.push(`${name} ${Object.keys(fields)}`)
  logOutcome({ level, info: as('info'), debug: as('debug') }, settlement)
  return lines
}

const fields = 'organization_id,webhook_id,event_id,trigger_name,released,next'

test('A failed attempt is logged at info, and any other at debug alone', () => {
  expect(linesOf(saw(false), 'info')).toEqual([`info ${fields}`])
  expect(linesOf(saw(true), 'info')).toEqual([])
  expect(linesOf(saw(true), 'debug')).toEqual([`debug ${fields}`])
  expect(linesOf(releaseSettlement(logged, 'revoked', 0), 'debug')).toEqual([`debug ${fields}`])
})

test("The error of an attempt is logged with the operator's code", () => {
  const settlement = {
    delivery: logged,
    attempt: { error: 'name_not_found' },
    retryAt: '',
    observation: { succeeded: false, tookMs: 1 },
    error: 'forbidden_address',
  } as unknown as Settlement
  const lines: object[] = []
  const log = { level: 'info', info: (line: object) => lines.push(line), debug: () => {} }
  logOutcome(log, settlement)
  expect(lines).toMatchObject([{ error: 'forbidden_address' }])
})
