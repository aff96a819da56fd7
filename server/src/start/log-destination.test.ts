import fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import { plainLine } from './log-destination.ts'

const line = (fields: object) => JSON.stringify({ time: 0, pid: 1, hostname: 'here', ...fields })
const withoutTime = (text: string) => text.replace(/^\d\d:\d\d:\d\d /, '')

describe('A log line at a terminal', () => {
  test('A log line at a terminal has time, level, message and fields, and neither process nor host', () => {
    const text = plainLine(line({ level: 30, msg: 'delivered', webhook_id: 'w', duration_ms: 12, list: [1] }))
    expect(withoutTime(text)).toBe('info delivered webhook_id=w duration_ms=12 list=[1]\n')
  })

  test('A log line at a terminal has the stack of an error below it', () => {
    const text = plainLine(line({ level: 50, msg: 'failed', err: { message: 'no', stack: 'Error: no\nat here' } }))
    expect(text).toMatch(/error.* failed\n {2}Error: no\n {2}at here\n$/)
  })

  test('A log line at a terminal does not say where the service listens, for its first lines do', async () => {
    const written: string[] = []
    const app = fastify({ logger: { stream: { write: (text) => void written.push(text) } } })
    await app.listen({ port: 0, host: '127.0.0.1' })
    await app.close()
    expect(written.map((text) => JSON.parse(text).msg)).toEqual([expect.stringContaining('127.0.0.1')])
    expect(written.map(plainLine)).toEqual([''])
  })
})
