import { SignetError } from '@signet/management'
import { expect, test } from 'vitest'
import { redeliverEach } from './redeliver-each.ts'

const deliveries = ['1', '2', '3'].map((id) => ({ id, webhook_id: 'w' }))
const refusal = (httpcode: number, message: string, headers = {}) =>
  new SignetError({ errors: [{ httpcode, message }] }, new Response(null, { status: httpcode, headers }))

test('Goes on after one that is refused, and waits against a limit', async () => {
  const waits: number[] = []
  const asked: string[] = []
  const redeliver = async ({ id }: { id: string }) => {
    asked.push(id)
    if (id === '1') throw refusal(409, 'delivery: is not finished')
    if (id === '2' && waits.length === 0) throw refusal(429, 'slower', { 'Retry-After': '7' })
  }
  const wait = async (ms: number) => waits.push(ms)
  const all = await Array.fromAsync(
    redeliverEach(deliveries, { redeliver, wait, signal: new AbortController().signal }),
  )
  expect(asked).toEqual(['1', '2', '2', '3'])
  expect(waits).toEqual([7_000])
  expect(all.at(-1)).toEqual({ done: 3, refused: [{ delivery: deliveries[0], message: 'delivery: is not finished' }] })
})

test('Begins no further one once it is stopped', async () => {
  const stop = new AbortController()
  const redeliver = async () => stop.abort()
  const all = await Array.fromAsync(redeliverEach(deliveries, { redeliver, wait: async () => {}, signal: stop.signal }))
  expect(all).toEqual([{ done: 1, refused: [] }])
})
