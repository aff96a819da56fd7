import { once } from 'node:events'
import { createServer as createHttpServer, type Server } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { verifyWebhook } from '@signet/webhooks'
import { afterAll, beforeAll, expect, type TestContext, test, vi } from 'vitest'
import { freePort } from '../../../scripts/free-port.ts'
import { settingsOf, startCommand } from '../support/command-line.ts'
import { testDatabase } from '../support/database.ts'
import { isLong } from '../support/form.ts'
import { claimsOf } from '../support/jwt.ts'
import { type Program, temporaryFolder } from '../support/program.ts'
import { type Organization, type Signet, startSignet } from '../support/signet.ts'

const [eventsCount, cutsCount, timeout] = isLong ? [10_000, 100, 900_000] : [300, 12, 60_000]
const ofOneRequest = 50
/** Once all are published, and nothing is cut any more. */
const lastEventsMs = 20_000
const patience = { timeout, interval: 10 }

let database: Awaited<ReturnType<typeof testDatabase>>
let signet: Signet
let port: number

const start = () => startSignet({ databaseUrl: database.url, port, env: { SIGNET_RATE_TEST_EVENTS: '100000/100000' } })

beforeAll(async () => {
  database = await testDatabase()
  port = await freePort()
  signet = await start()
})

afterAll(async () => {
  await signet?.stop()
  await database?.drop()
})

test(`Of ${eventsCount} events none is lost or out of order over ${cutsCount} cut connections, and deaths of listener, receiver and service`, {
  timeout,
}, async (context) => {
  const organization = await signet.organization()
  const proxy = await startProxy(context)
  const receiver = await startReceiver(context, organization)
  const folder = temporaryFolder(context)
  const startListener = () => listen(context, organization, { url: proxy.url, target: receiver.url, state: folder })
  let listener = startListener()
  await listener.says(/Connected/)

  const publishing = publishAll(organization)
  for (let number = 1; number <= cutsCount; number++) {
    const threshold = Math.floor((number * eventsCount * 0.9) / cutsCount) - Math.floor(Math.random() * 10)
    await vi.waitFor(() => expect(receiver.subs().size).toBeGreaterThanOrEqual(threshold), patience)
    await proxy.cut()
    if (number % 6 === 1) {
      // With an event that has no answer: all of those before may have theirs already.
      await receiver.close()
      await signet.as(organization, 'POST', '/test-events', [{ event_name: 'PersonCreated' }])
      await listener.says(/No answer from/)
      process.kill(listener.pid, 'SIGKILL')
      await listener.ended
      await receiver.open()
      listener = startListener()
    } else if (number % 6 === 3) {
      await receiver.close()
      await receiver.open()
    } else if (number % (isLong ? 24 : 12) === 5) {
      await signet.kill()
      signet = await start()
    }
  }
  await publishing

  const feed = await readFeed(organization)
  await vi.waitFor(() => expect(receiver.subs().size).toBe(feed.length), { ...patience, timeout: lastEventsMs })
  const places = receiver.received.map((sub) => feed.indexOf(sub))
  expect([...receiver.subs()]).toEqual(feed)
  // An event may come again, and then so do those behind it; none is skipped.
  const skips = places.filter((place, index) => place > (places[index - 1] ?? -1) + 1)
  expect(skips).toEqual([])
  expect(receiver.refused).toEqual([])
})

function listen(
  context: TestContext,
  organization: Organization,
  to: { url: string; target: string; state: string },
): Program {
  const settings = { ...settingsOf({ baseUrl: to.url }, organization), XDG_STATE_HOME: to.state }
  return startCommand(context, ['listen', '--forward-to', to.target], settings)
}

/** A request that the service did not live to answer is sent again: the feed tells what was published. */
async function publishAll(organization: Organization) {
  const body = Array.from({ length: ofOneRequest }, () => ({ event_name: 'PersonCreated' }))
  for (let left = eventsCount; left > 0; ) {
    const reply = await signet.as(organization, 'POST', '/test-events', body).catch(() => undefined)
    if (reply?.status === 201) left -= ofOneRequest
    else await new Promise((over) => setTimeout(over, 50))
  }
}

async function readFeed(organization: Organization): Promise<string[]> {
  const ids: string[] = []
  for (let after = '', hasMore = true; hasMore; ) {
    const { body } = await signet.as(organization, 'GET', `/events?limit=1000${after && `&after=${after}`}`)
    ids.push(
      ...body.result.map(({ event_metadata }: { event_metadata: { event_id: string } }) => event_metadata.event_id),
    )
    after = body.meta.next
    hasMore = body.meta.has_more
  }
  return ids
}

async function startProxy({ onTestFinished }: TestContext) {
  const sockets = new Set<Socket>()
  /** Those on which the service has answered. */
  const connected = new Set<Socket>()
  const server = createServer((socket) => {
    const upstream = connect(port, 'localhost')
    for (const each of [socket, upstream]) {
      sockets.add(each)
      each
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(each)
          connected.delete(socket)
          socket.destroy()
          upstream.destroy()
        })
    }
    upstream.once('data', () => connected.add(socket))
    socket.pipe(upstream).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  /** Waits for a connection that carries something, so that each time one is cut, and then for up to 20 ms of its life. */
  const cut = async () => {
    await vi.waitFor(() => expect(connected.size).toBeGreaterThan(0), patience)
    await wait(Math.random() * 20)
    destroyAll()
  }
  onTestFinished(() => {
    destroyAll()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cut }
}

/** Verifies with the library; a death breaks off the request that is being answered. */
async function startReceiver({ onTestFinished }: TestContext, { id: organizationId }: Organization) {
  const received: string[] = []
  const refused: unknown[] = []
  const own = await freePort()
  const targetUrl = `http://localhost:${own}/hook`
  const issuer = signet.baseUrl
  let server: Server
  const open = async () => {
    server = createHttpServer(async (request, response) => {
      let body = ''
      for await (const chunk of request.setEncoding('utf8')) body += chunk
      const webhook = await verifyWebhook(body, { issuer, organizationId, targetUrl }).catch((error) => error)
      if (webhook instanceof Error) refused.push(webhook)
      else received.push(claimsOf(body).sub as string)
      response.end()
    }).listen(own, 'localhost')
    await once(server, 'listening')
  }
  const close = async () => {
    server.closeAllConnections()
    const closed = once(server, 'close')
    server.close()
    await closed
  }
  await open()
  onTestFinished(() => void server.close())
  return { url: targetUrl, received, refused, subs: () => new Set(received), open, close }
}
