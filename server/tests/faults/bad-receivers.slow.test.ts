import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, type TestContext, test, vi } from 'vitest'
import { type Certified, makeAuthority } from '../../../scripts/certificates.ts'
import { freePort } from '../../../scripts/free-port.ts'
import { ofForm } from '../support/form.ts'
import { startNameServer } from '../support/name-server.ts'
import { startReceiver } from '../support/receiver.ts'
import { startUnrulyReceiver } from '../support/unruly-receiver.ts'
import { addWebhook } from '../support/webhooks.ts'
import { limits, setScene } from './support/scene.ts'
import { patience, tell, timeoutMs } from './support/suite.ts'

const host = 'unruly.test'
const events = ofForm(2, 20)
/** So many that the bad ones, of which many hang, do not wait for each other. */
const manyCalls = { SIGNET_MAX_CONCURRENCY: '200', SIGNET_MAX_CONCURRENCY_PER_ORGANIZATION: '200' }
const manyLimits = { ...limits, perOrganization: 200, total: 200 }
const hourMs = 3_600_000

/** How the last attempt ended: an error's word or a status. 2XX: succeeded; else dropped once its window was over. */
const byPath: Record<string, string | number> = {
  '/silent': 'timeout',
  '/only-early-hints': 'timeout',
  // The status decides, whatever becomes of the body (6.2, rule 4).
  '/hang-in-headers': 200,
  '/drip-headers': 200,
  '/hang-in-body': 200,
  '/hang-in-body-500': 500,
  '/drip-a-second': 200,
  '/drip-a-second-500': 500,
  '/endless': 200,
  '/endless-500': 500,
  '/endless-headers': 200,
  '/endless-header': 200,
  '/endless-extension': 200,
  '/endless-chunks': 200,
  '/endless-trailers': 200,
  '/endless-early-hints': 'answer_too_large',
  '/endless-reason': 'answer_too_large',
  '/reset': 'connection_reset',
  '/reset-in-headers': 200,
  '/reset-in-body': 200,
  '/reset-in-body-500': 500,
  '/hang-up': 'connection_reset',
  '/cut-in-headers': 200,
  '/garbage': 'bad_response',
  '/many-headers': 200,
  '/continue': 200,
  '/folded': 200,
  '/folded-by-line-feeds': 200,
  '/two-lengths': 200,
  '/close-unannounced': 200,
  '/reset-unannounced': 200,
  '/switch': 'bad_response',
  '/early-hints': 200,
  '/204': 204,
  '/302': 302,
  '/304': 304,
  '/410': 410,
  '/429-seconds': 429,
  '/429-date': 429,
  '/429-past-date': 429,
  '/429-nonsense': 429,
  '/429-negative': 429,
  '/429-huge': 429,
  '/429-empty': 429,
}
const byHandshake = {
  silent: 'connect_timeout',
  'closed at once': 'connection_reset',
  'reset at once': 'connection_reset',
  'reset after hello': 'connection_reset',
  'plain HTTP': 'tls_error',
} as const

describe.concurrent('Bad receivers', { timeout: timeoutMs }, () => {
  test('Each acknowledged event ends in a state that says why, whatever its receiver does, while others get theirs', async (context) => {
    const authority = makeAuthority()
    const scene = await setScene(context, startReceiver(authority))
    const bad = await startBadReceivers(context, authority)
    const resolve = [scene.receiver.resolve, ...bad.map(({ port }) => `${host}:${port}:127.0.0.1`)]
    const signet = await scene.start({ env: { ...manyCalls, SIGNET_WEBHOOK_RESOLVE: resolve.join(',') } })
    const organization = await signet.organization()
    const expected: Record<string, string | number> = {}
    for (const { port, path, end } of bad) {
      const url = `https://${host}:${port}${path}`
      expected[url] = end
      await addWebhook(signet, organization, url, ['PersonCreated_v1'], { timeout: '2s' })
    }
    const healthy = scene.receiver.url('/healthy')
    expected[healthy] = 200
    await addWebhook(signet, organization, healthy, ['PersonCreated_v1'])
    expect(await scene.publish(signet, organization, 'PersonCreated_v1', events)).toBe(201)
    await scene.receiver.waitFor('/healthy', events)
    await scene.untilDelivered()
    const ended = await scene.query<{ url: string; status: string; last: { status_code?: number; error?: string } }>(`
      select target_url as url, status, attempt_log->-1 as last from finished_deliveries f
        join webhooks w on w.org_id = f.org_id and w.id = f.webhook_id`)
    const isWrong = ({ url, status, last }: (typeof ended)[number]) =>
      (last.error ?? last.status_code) !== expected[url] || status !== stateAfter(expected[url])
    expect(ended.filter(isWrong)).toEqual([])
    expect(ended).toHaveLength(Object.keys(expected).length * events)
    tell('bad receivers', { kinds: bad.length, ...(await scene.check({ limits: manyLimits })) })
  })

  test('Each acknowledged event ends in a state that says why when its receiver changes its address between checks', async (context) => {
    const authority = makeAuthority()
    const scene = await setScene(context, startReceiver(authority))
    const unruly = await startUnrulyReceiver(authority.issue(['moving.test']))
    context.onTestFinished(() => unruly.stop())
    const trap = await setTrap(context, unruly.port)
    const zone: Record<string, { A: string[] }> = { 'moving.test': { A: ['127.0.0.1'] } }
    const names = await startNameServer(zone)
    context.onTestFinished(() => names.stop())
    const signet = await scene.start({
      nodeOptions: ['--import', join(import.meta.dirname, 'support/own-resolver.ts')],
      env: {
        FAULT_NAME_SERVER: names.address,
        SIGNET_WEBHOOK_ALLOW_CIDRS: '127.0.0.1',
        SIGNET_LOG_LEVEL: 'info',
      },
    })
    const organization = await signet.organization()
    // It closes each connection, so that each call looks its name up.
    await addWebhook(signet, organization, `https://moving.test:${unruly.port}/close`, ['PersonCreated_v1'])
    const publish = () => scene.publish(signet, organization, 'PersonCreated_v1', 1)
    /** The organization is not told whether a name leads to a private address, or nowhere; the operator is. */
    const expectRefused = async (attempts: number, word: string) => {
      const refused = `select from deliveries where attempt_log->-1->>'error' = 'name_not_found' and attempts_count = $1`
      await vi.waitFor(async () => expect(await scene.query(refused, [attempts])).toHaveLength(1), patience)
      await vi.waitFor(() => expect(signet.output().match(/"error":"\w+"/g)).toContain(`"error":"${word}"`), patience)
    }
    await publish()
    await scene.untilDelivered()
    zone['moving.test'] = { A: ['127.0.0.2'] }
    await publish()
    await expectRefused(1, 'forbidden_address')
    delete zone['moving.test']
    await expectRefused(2, 'name_not_found')
    zone['moving.test'] = { A: ['127.0.0.1', '127.0.0.2'] }
    await expectRefused(3, 'forbidden_address')
    zone['moving.test'] = { A: ['127.0.0.1'] }
    await scene.untilDelivered()
    expect(await scene.query('select status from finished_deliveries')).toEqual(Array(2).fill({ status: 'succeeded' }))
    expect(trap.connections).toBe(0)
    tell('receiver that changes its address', await scene.check())
  })
})

const stateAfter = (end: string | number | undefined) =>
  typeof end === 'number' && end >= 200 && end <= 299 ? 'succeeded' : 'dropped'

/** One for each kind of badness. */
async function startBadReceivers(context: TestContext, authority: ReturnType<typeof makeAuthority>) {
  const start = async (certified: Certified) => {
    const receiver = await startUnrulyReceiver(certified)
    context.onTestFinished(() => receiver.stop())
    return receiver
  }
  const unruly = await start(authority.issue([host]))
  const certificates = [
    authority.issue([host], { until: Date.now() - hourMs }),
    authority.issue(['other.test']),
    makeAuthority().issue([host]),
  ]
  const withBadCertificate = await Promise.all(certificates.map(start))
  const handshakes = Object.entries(byHandshake) as [keyof typeof byHandshake, string][]
  return [
    { port: await freePort(), path: '/refused', end: 'connection_refused' },
    ...withBadCertificate.map(({ port }) => ({ port, path: '/200', end: 'bad_certificate' })),
    ...handshakes.map(([name, end]) => ({ port: unruly.ports[name], path: '/200', end })),
    ...Object.entries(byPath).map(([path, end]) => ({ port: unruly.port, path, end })),
  ]
}

/** Where nobody may be led. On a system without that address nobody can be. */
async function setTrap(context: TestContext, port: number) {
  const trap = { connections: 0 }
  const server = createServer((socket) => {
    trap.connections++
    socket.destroy()
  })
  const { promise: isSet, resolve } = Promise.withResolvers<void>()
  server.on('error', () => resolve()).listen(port, '127.0.0.2', resolve)
  await isSet
  context.onTestFinished(() => void server.close())
  return trap
}
