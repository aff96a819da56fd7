import { setTimeout as wait } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { isLong, ofForm } from '../support/form.ts'
import { claimsOf } from '../support/jwt.ts'
import { addWebhook } from '../support/webhooks.ts'
import { limits, setScene } from './support/scene.ts'
import { chanceOf, patience, tell, timeoutMs } from './support/suite.ts'

const freezes = ofForm(2, 8)
const path = '/frozen'
/** A freeze is within a call; the other worker's calls take longer, so that the frozen one can wake up within them. */
const answerMs = { frozen: 300, other: 1_500 }
const leaseMs = 25_000

test('A worker that was frozen past its lease changes nothing when it wakes up', {
  timeout: timeoutMs,
}, async (context) => {
  const scene = await setScene(context)
  const { receiver } = scene
  const chance = chanceOf('frozen')
  const startWorker = () => scene.start({ env: { SIGNET_ROLES: 'worker' } })
  const api = await scene.start({ env: { SIGNET_ROLES: 'api' } })
  const organization = await api.organization()
  await addWebhook(api, organization, receiver.url(path), ['PersonCreated_v1'])
  const untilCalledAfter = (calls: number) =>
    vi.waitFor(() => expect(receiver.received(path).length).toBeGreaterThan(calls), patience)
  let late = 0
  for (let freeze = 1; freeze <= freezes; freeze++) {
    receiver.behave(path, { delayMs: answerMs.frozen })
    const frozen = await startWorker()
    const before = receiver.received(path).length
    await scene.publish(api, organization, 'PersonCreated_v1', 2 * limits.perWebhook)
    await untilCalledAfter(before)
    await wait((chance() * answerMs.frozen) / 2)
    frozen.process.kill('SIGSTOP')
    if (isLong) await wait(leaseMs)
    receiver.behave(path, { delayMs: answerMs.other })
    const ofFrozen = receiver.received(path).slice(before)
    const taken = await scene.endLeases()
    late += taken.length
    const other = await startWorker()
    // For as long as nobody has heard of the other one.
    await scene.query("update workers set registered_at = registered_at - interval '26 seconds'")
    await untilCalledAfter(before + ofFrozen.length)
    // While the other one calls, or when all is over.
    if (freeze % 2 === 0) await scene.untilDelivered()
    frozen.process.kill('SIGCONT')
    // Once it has ended, it has written all that it had to write.
    expect(await frozen.stop()).toBe(0)
    await scene.untilDelivered()
    expect(await other.stop()).toBe(0)
    const log = await scene.query<{ jti: string }>(
      `select jsonb_path_query(attempt_log, '$.jti') #>> '{}' as jti from finished_deliveries
        where webhook_id || ' ' || event_id = any($1)`,
      [taken],
    )
    const jtis = new Set(ofFrozen.map(({ body }) => claimsOf(body).jti))
    expect(log.filter(({ jti }) => jtis.has(jti))).toEqual([])
    expect(log).toHaveLength(taken.length)
  }
  expect(late).toBeGreaterThanOrEqual(freezes)
  // What the frozen one has called is still open while the other one calls.
  const twice = {
    perWebhook: 2 * limits.perWebhook,
    perOrganization: 2 * limits.perOrganization,
    total: 2 * limits.total,
  }
  tell('worker frozen past its lease', { freezes, 'leases ended': late, ...(await scene.check({ limits: twice })) })
})
