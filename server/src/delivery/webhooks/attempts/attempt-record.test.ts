import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { attemptErrors, recordOf } from './attempt-record.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../../docs/reference/errors.md'), 'utf8')

test('The table of errors has each word that an attempt may have', () => {
  const [, table = ''] = page.split('## In the delivery log')
  for (const word of attemptErrors) expect(table, word).toContain(`\`${word}\``)
})

test('A record says that its request was sent twice, and nothing where it was not', () => {
  const made = { jti: 'j', startedAt: 0, sent: 's' }
  const failed = { kind: 'failed', error: 'timeout', durationMs: 1 } as const
  expect(recordOf({ ...made, outcome: { ...failed, resent: true } }, 1)).toMatchObject({
    resent: true,
    error: 'timeout',
  })
  expect(recordOf({ ...made, outcome: failed }, 1)).not.toHaveProperty('resent')
})
