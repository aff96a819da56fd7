import { expect, test } from 'vitest'
import type { ClaimedDelivery } from './claim-store.ts'
import { type Conclusion, handBack } from './conclusion.ts'
import { logConclusion } from './log-conclusion.ts'

const delivery = {
  organizationId: 'o',
  webhookId: 'w',
  eventId: 'e',
  triggerName: 'PersonCreated_v1',
} as ClaimedDelivery
const seen = (succeeded: boolean): Conclusion => ({ ...handBack(delivery, 0), seen: { succeeded, tookMs: 1 } })

function linesOf(conclusion: Conclusion, level: string): string[] {
  const lines: string[] = []
  const as = (name: string) => (fields: object) => lines.push(`${name} ${Object.keys(fields)}`)
  logConclusion({ level, info: as('info'), debug: as('debug') }, conclusion)
  return lines
}

const fields = 'organization_id,webhook_id,event_id,trigger_name,next'

test('what failed is told at info, and what did not at debug alone', () => {
  expect(linesOf(seen(false), 'info')).toEqual([`info ${fields}`])
  expect(linesOf(seen(true), 'info')).toEqual([])
  expect(linesOf(seen(true), 'debug')).toEqual([`debug ${fields}`])
  expect(linesOf(handBack(delivery, 0), 'debug')).toEqual([`debug ${fields}`])
})

test('the error is told in the word of the operator', () => {
  const settlement = {
    delivery,
    attempt: { error: 'name_not_found' },
    retryAt: '',
  } as unknown as Conclusion['settlement']
  const lines: object[] = []
  const log = { level: 'info', info: (line: object) => lines.push(line), debug: () => {} }
  logConclusion(log, { settlement, seen: { succeeded: false, tookMs: 1 }, error: 'forbidden_address' })
  expect(lines).toMatchObject([{ error: 'forbidden_address' }])
})
