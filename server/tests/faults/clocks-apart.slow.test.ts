import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ofForm } from '../support/form.ts'
import { claimsOf, signedAt } from '../support/jwt.ts'
import { addWebhook } from '../support/webhooks.ts'
import { limits, setScene } from './support/scene.ts'
import { tell, timeoutMs } from './support/suite.ts'

const minuteMs = 60_000
const offMs = 6 * minuteMs
const nodeOptions = ['--import', join(import.meta.dirname, 'support/shifted-clock.ts')]
const events = ofForm(60, 1_000)

test('Processes whose clocks are 6 minutes apart keep the schedule of the database’s clock', {
  timeout: timeoutMs,
}, async (context) => {
  const scene = await setScene(context)
  const { receiver } = scene
  // A clock so far off is told by the readiness, so that somebody sets it right.
  const startShifted = (ms: number) =>
    scene.start({ nodeOptions, readyPath: '/livez', env: { FAULT_CLOCK_MS: `${ms}` } })
  const [ahead, behind] = await Promise.all([startShifted(offMs), startShifted(-offMs)])
  for (const signet of [ahead, behind])
    expect((await signet.call('GET', '/readyz')).body.checks.clock).toBe('clock_skewed')
  const organization = await ahead.organization()
  receiver.behave('/failing', { first: { times: 10, status: 503 } })
  for (const path of ['/quick', '/failing'])
    await addWebhook(ahead, organization, receiver.url(path), ['PersonCreated_v1'])
  receiver.behave('/dead', { status: 500 })
  await addWebhook(ahead, organization, receiver.url('/dead'), ['VirtualPageLoaded_v1'])
  for (const signet of [ahead, behind]) {
    expect(await scene.publish(signet, organization, 'VirtualPageLoaded_v1', 1)).toBe(201)
    for (let published = 0; published < events; published += 2)
      expect(await scene.publish(signet, organization, 'PersonCreated_v1', 2)).toBe(201)
  }
  await scene.untilDelivered()
  const off = receiver.all().map(({ body, at }) => {
    const { iat, exp } = claimsOf(body)
    expect(exp - iat).toBe(300)
    return Math.max(Math.abs(iat * 1_000 - at), Math.abs(signedAt(body) - at))
  })
  expect(Math.max(...off)).toBeLessThan(minuteMs)
  const ofDead = `select distinct status, attempts_count between 2 and 6 as in_turn from finished_deliveries
    where trigger_name = 'VirtualPageLoaded_v1'`
  expect(await scene.query(ofDead)).toEqual([{ status: 'dropped', in_turn: true }])
  const both = { ...limits, perOrganization: 2 * limits.perOrganization, total: 2 * limits.total }
  tell('clocks 6 minutes off, both ways', await scene.check({ limits: both }))
})
