import { describe, expect, test } from 'vitest'
import {
  answered,
  connections,
  expectNoneLeft,
  failed,
  host,
  open,
  polling,
  receiver,
  setUpEgressClients,
  toCall,
  toSecond,
} from '../../../tests/support/egress-client.ts'

setUpEgressClients()

describe('Connections', () => {
  test('Connections go to the next address of a name when the first one fails', async () => {
    const egress = open({ resolve: new Map([[`${host}:${receiver.port}`, ['::1', '127.0.0.1']]]) })
    expect(await egress.post(toCall('/200'))).toEqual(answered(200))
  })

  test('Connections are used again, one request at a time', async () => {
    const egress = open()
    const before = await connections(egress)
    await egress.post(toCall('/200'))
    expect((await connections(egress)).all).toBe(before.all)
    await Promise.all([egress.post(toCall('/200')), egress.post(toCall('/200'))])
    expect((await connections(egress)).all).toBe(before.all + 1)
  })

  test('Connections are never used again for another organization', async () => {
    const egress = open()
    const { all } = await connections(egress)
    await egress.post(toCall('/200', { keptFor: 'another' }))
    await egress.post(toCall('/200', { keptFor: 'another' }))
    expect((await connections(egress)).all).toBe(all + 1)
  })

  test('Connections that got more after the answer, when the next request was on its way, give it to no other organization', async () => {
    const egress = open()
    for (let call = 0; call < 20; call++) {
      await egress.post(toCall('/more-soon', { keptFor: 'another' }))
      expect(await egress.post(toCall('/200'))).toEqual(answered(200))
    }
  })

  test('Connections are not used again after a response that was not read, or one too many', async () => {
    const egress = open()
    const before = await connections(egress)
    for (const path of ['/close', '/smuggled', '/endless', '/cut-in-body']) await egress.post(toCall(path))
    expect(await egress.post(toCall('/200'))).toEqual(answered(200))
    expect((await connections(egress)).open).toBe(1)
    expect((await connections(egress)).all).toBeGreaterThan(before.all + 1)
  })

  test.each(['/close-unannounced', '/reset-unannounced', '/last'])(
    'Connections that ended before one byte of a response are replaced, and the request is sent once more: %s',
    async (path) => {
      const egress = open()
      const url = `https://${host}:${receiver.port}`
      for (let call = 0; call < 20; call++) {
        expect(await egress.post(toCall(path))).toEqual(answered(200))
        await new Promise((resolve) => setTimeout(resolve, call % 3))
        expect(await egress.post(toCall('/200', { url: `${url}/200` }))).toEqual(answered(200))
      }
    },
  )

  test('Connections are replaced once, and never for callers that need a body', async () => {
    const egress = open()
    const last = async (needsBody: boolean) => {
      await egress.post(toCall('/last'))
      return egress.post(toCall('/hang-up', { needsBody }))
    }
    const { all } = await connections(egress)
    expect(await last(false)).toMatchObject({ kind: 'failed', error: 'connection_reset', resent: true })
    expect((await connections(egress)).all).toBe(all + 2)
    const failedOnce = await last(true)
    expect(failedOnce).toEqual(failed('connection_reset'))
    expect(failedOnce).not.toHaveProperty('resent')
    expect((await connections(egress)).all).toBe(all + 3)
  })

  test('Connections on which anything came while they were idle are not used again', async () => {
    const egress = open()
    await egress.post(toCall('/more-later'))
    const asking = open()
    await expect.poll(async () => (await connections(asking)).open, polling).toBe(1)
    expect(await egress.post(toCall('/200'))).toEqual(answered(200))
  })

  test('Connections are bounded: the longest idle one makes room', async () => {
    const egress = open({ maxConnections: 2 })
    const { all } = await connections(egress)
    await egress.post(toCall('/', { url: toSecond('/200') }))
    await egress.post(toCall('/', { url: 'https://nowhere.test' }))
    expect((await connections(egress)).all).toBe(all + 2)
  })

  test('Connections do not count any more once the receiver has closed them', async () => {
    const egress = open({ maxConnections: 2 })
    const { all } = await connections(egress)
    await egress.post(toCall('/', { url: toSecond('/close') }))
    const asking = open()
    await expect.poll(async () => (await connections(asking)).open, polling).toBe(2)
    await egress.post(toCall('/', { url: 'https://nowhere.test' }))
    expect((await connections(egress)).all).toBe(all + 2)
  })

  test('Connections end when the client closes, and so do the requests in flight', async () => {
    const egress = open()
    await egress.post(toCall('/200'))
    const call = egress.post(toCall('/silent'))
    await egress.close()
    expect(await call).toEqual(failed('stopped'))
    expect(await egress.post(toCall('/200'))).toEqual(failed('stopped'))
    await expectNoneLeft()
  })
})
