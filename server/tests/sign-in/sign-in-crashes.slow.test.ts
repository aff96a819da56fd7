import { once } from 'node:events'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createPublish } from '../../src/delivery/events/index.ts'
import { createEnqueue } from '../../src/delivery/queue/enqueue.ts'
import { openDatabase } from '../../src/ground/database/database.ts'
import { untraced } from '../../src/ground/runtime/tracer.ts'
import { createCredentials } from '../../src/identity/credentials/index.ts'
import { endStalledFlows, type Failpoint, failpoints } from '../../src/identity/sign-in/index.ts'
import { openBrowser } from '../support/browser.ts'
import { randomFrom } from '../support/random.ts'
import { makeKeyring } from '../support/service.ts'
import { ada, type SignIns, startSignIns } from '../support/sign-ins.ts'
import type { Signet } from '../support/signet.ts'

const callback = /\/sso\/callback\//
const hourMs = 3_600_000

const count = 2_000

let signIns: SignIns
let nodes: Map<Failpoint, Signet>
/** Is killed as well, amid many sign-ins. */
let doomed: Signet

beforeAll(async () => {
  signIns = await startSignIns()
  const start = async (failpoint: Failpoint) =>
    [failpoint, await signIns.startDyingNode(failpoint)] as [Failpoint, Signet]
  const [last, ...others] = await Promise.all([signIns.startDyingNode('hooked', count / 20), ...failpoints.map(start)])
  doomed = last
  nodes = new Map(others)
})

afterAll(async () => {
  await Promise.all([doomed, ...nodes.values()].map((node) => node.kill()))
  await signIns?.stop()
})

/** As a node does every minute, an hour later. */
async function sweep() {
  const database = openDatabase(signIns.connection)
  const clock = { now: () => signIns.clock.now() + hourMs }
  const publish = createPublish({ clock, enqueue: createEnqueue({ wake: () => {} }), tracer: untraced })
  const log = { info: () => {}, error: () => {} }
  const credentials = createCredentials({ database, clock, keyring: makeKeyring(signIns.masterKey) })
  const swept = { database, clock, credentials, publish, onOutcome: () => {}, log }
  await endStalledFlows(swept, new AbortController().signal)
  await database.close()
}

const endingOf: Record<Failpoint, string[]> = {
  // Nobody had come back yet: the person asks again, and another node answers.
  stored: ['succeeded'],
  consumed: ['flow_expired'],
  identified: ['flow_expired'],
  hooked: ['flow_expired'],
  ended: ['succeeded'],
}

// Proves 6.1/15, sign-in/67.
test.each(failpoints)(
  'A node that is killed when a sign-in is %s leaves it with exactly one final event',
  async (failpoint) => {
    const tenant = await signIns.tenant()
    const node = nodes.get(failpoint) as Signet
    let at = node.baseUrl
    const browser = openBrowser(() => at)
    const begun = await tenant.application.begin()
    const back = await browser.go(begun.url, { person: ada, stopAt: callback }).catch(() => undefined)
    if (back) await expect(browser.go(back.url)).rejects.toThrow()
    if (node.process.signalCode === null) await once(node.process, 'exit')
    expect(node.process.signalCode).toBe('SIGKILL')
    at = signIns.service.baseUrl
    const end = await browser.go(back?.url ?? begun.url, { person: ada })
    if (endingOf[failpoint][0] === 'succeeded') await tenant.application.finish(begun, end.url)
    // For all that anybody knows, that node is still at it.
    else expect([end.status, end.headers.get('refresh')]).toEqual([200, '2'])
    await sweep()
    expect(await tenant.endings()).toEqual(endingOf[failpoint])
    expect(await tenant.persons()).toHaveLength(endingOf[failpoint][0] === 'succeeded' ? 1 : 0)
  },
)

/** Other choices in each run; with its `SIGNET_FAULTS_SEED` those of an earlier one. */
const seed = inject('faultsSeed')
const random = randomFrom(seed)
const oneIn = (times: number) => random() * times < 1

/** Throws at any failpoint, now and then. */
const stumble = () => {
  if (oneIn(15)) throw new Error('a fault of the test')
}

test(`Of ${count} sign-ins at a stumbling node and one that is killed, each that began has one final event`, {
  timeout: 180_000,
}, async () => {
  console.log(`${count} sign-ins (SIGNET_FAULTS_SEED=${seed})`)
  const tenant = await signIns.tenant()
  const env = { SIGNET_RATE_SIGN_IN: '100000/100000' }
  const stumbling = await signIns.startNode({ onSignInFailpoint: stumble, env })
  const at = () => (doomed.process.signalCode || oneIn(2) ? stumbling : doomed).baseUrl
  const [hasCome, isAnswered] = [new Set<string>(), new Set<string>()]
  const signInOnce = async (number: number) => {
    const correlation_id = `01890a5d-ac96-774b-bcce-${String(number).padStart(12, '0')}`
    const browser = openBrowser(at)
    const { url } = await tenant.application.begin({ correlation_id })
    const person = { ...ada, sub: `person-${number % 40}`, ...(oneIn(5) && { refuse: true }) }
    const back = await browser.go(url, { person, stopAt: callback }).catch(() => undefined)
    hasCome.add(correlation_id)
    if (!back || !callback.test(back.url)) return
    if (oneIn(5)) browser.forget(/signet-flow/)
    const address = oneIn(5) ? back.url.replace(/code=[^&]*/, 'code=x') : back.url
    await browser.go(address).then(
      () => isAnswered.add(correlation_id),
      () => {},
    )
  }
  await inTurn(count, signInOnce)
  expect(doomed.process.signalCode).toBe('SIGKILL')
  await stumbling.stop()
  await sweep()
  const endings = (await tenant.events()).filter(({ event_metadata }) => event_metadata.event_type !== 'PersonCreated')
  const ended = endings.map(({ analytics_metadata }) => analytics_metadata.analytics_correlation_id as string)
  expect(new Set(ended).size).toBe(ended.length)
  // One whose callback met a node that was dead by then was never heard: it had not begun.
  expect([...hasCome]).toEqual(expect.arrayContaining(ended))
  expect(ended).toEqual(expect.arrayContaining([...isAnswered]))
  expect(new Set(endings.map(({ failure_reason = 'succeeded' }) => failure_reason)).size).toBeGreaterThan(4)
  const { rows } = await signIns.inside.query('select from flows where ended_at is null and begun_at is not null')
  expect(rows).toEqual([])
})

/** Thirty-two at a time. */
async function inTurn(times: number, work: (number: number) => Promise<void>) {
  let next = 0
  const lane = async () => {
    while (next < times) await work(next++)
  }
  await Promise.all(Array.from({ length: 32 }, lane))
}
