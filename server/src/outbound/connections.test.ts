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
  toCall,
  toSecond,
} from '../../tests/support/egress-client.ts'

describe('Connections', () => {
  test('Connections go to the next address of a name when the first one fails', async () => {
    const door = open({ resolve: new Map([[`${host}:${receiver.port}`, ['::1', '127.0.0.1']]]) })
    expect(await door.post(toCall('/200'))).toEqual(answered(200))
  })

  test('Connections are used again, one request at a time', async () => {
    const door = open()
    const before = await connections(door)
    await door.post(toCall('/200'))
    expect((await connections(door)).all).toBe(before.all)
    await Promise.all([door.post(toCall('/200')), door.post(toCall('/200'))])
    expect((await connections(door)).all).toBe(before.all + 1)
  })

  test('Connections are not used again after a response that was not read, or one too many', async () => {
    const door = open()
    const before = await connections(door)
    for (const path of ['/close', '/smuggled', '/endless', '/cut-in-body']) await door.post(toCall(path))
    expect(await door.post(toCall('/200'))).toEqual(answered(200))
    expect((await connections(door)).open).toBe(1)
    expect((await connections(door)).all).toBeGreaterThan(before.all + 1)
  })

  test.each(['/close-unannounced', '/reset-unannounced', '/last'])(
    'Connections that ended before one byte of a response are replaced, and the request is sent once more: %s',
    async (path) => {
      const door = open()
      const url = `https://${host}:${receiver.port}`
      for (let call = 0; call < 20; call++) {
        expect(await door.post(toCall(path))).toEqual(answered(200))
        await new Promise((resolve) => setTimeout(resolve, call % 3))
        expect(await door.post(toCall('/200', { url: `${url}/200` }))).toEqual(answered(200))
      }
    },
  )

  test('Connections are replaced once, and never for callers that need a body', async () => {
    const door = open()
    const last = async (needsBody: boolean) => {
      await door.post(toCall('/last'))
      return door.post(toCall('/hang-up', { needsBody }))
    }
    const { all } = await connections(door)
    expect(await last(false)).toEqual(failed('connection_reset'))
    expect((await connections(door)).all).toBe(all + 2)
    expect(await last(true)).toEqual(failed('connection_reset'))
    expect((await connections(door)).all).toBe(all + 3)
  })

  test('Connections on which anything came while they were idle are not used again', async () => {
    const door = open()
    await door.post(toCall('/more-later'))
    const asking = open()
    await expect.poll(async () => (await connections(asking)).open, polling).toBe(1)
    expect(await door.post(toCall('/200'))).toEqual(answered(200))
  })

  test('Connections are bounded: the longest idle one makes room', async () => {
    const door = open({ maxConnections: 2 })
    const { all } = await connections(door)
    await door.post(toCall('/', { url: toSecond('/200') }))
    await door.post(toCall('/', { url: 'https://nowhere.test' }))
    expect((await connections(door)).all).toBe(all + 2)
  })

  test('Connections do not count any more once the receiver has closed them', async () => {
    const door = open({ maxConnections: 2 })
    const { all } = await connections(door)
    await door.post(toCall('/', { url: toSecond('/close') }))
    const asking = open()
    await expect.poll(async () => (await connections(asking)).open, polling).toBe(2)
    await door.post(toCall('/', { url: 'https://nowhere.test' }))
    expect((await connections(door)).all).toBe(all + 2)
  })

  test('Connections end when the client closes, and so do the requests in flight', async () => {
    const door = open()
    await door.post(toCall('/200'))
    const call = door.post(toCall('/silent'))
    await door.close()
    expect(await call).toEqual(failed('stopped'))
    expect(await door.post(toCall('/200'))).toEqual(failed('stopped'))
    await expectNoneLeft()
  })
})
