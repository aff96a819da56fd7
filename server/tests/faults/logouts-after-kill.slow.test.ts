import { once } from 'node:events'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { type Failpoint, failpoints } from '../../src/delivery/queue/index.ts'
import { ofForm } from '../support/form.ts'
import { addLogoutApplication } from '../support/logouts.ts'
import { addSession } from '../support/sessions.ts'
import type { Organization, Signet } from '../support/signet.ts'
import { type Scene, setScene } from './support/scene.ts'
import { chanceOf, tell, timeoutMs } from './support/suite.ts'

const program = join(import.meta.dirname, 'support/killed-at-failpoint.ts')
const maxPassings = 6
/**
 * The long form has a hundred kills over all failpoints. The short one has those where a logout token differs from other deliveries: just
 * written, signed, and answered; the others are the engine's, which `worker-killed` kills at each.
 */
const tried = ofForm<readonly Failpoint[]>(['published', 'sent', 'responded'], failpoints)
const killsPerFailpoint = ofForm(1, Math.ceil(100 / failpoints.length))

/** A failpoint that is never passed kills nobody, and the test waits for its process in vain. */
describe('Failpoints of a logout token', { timeout: timeoutMs }, () => {
  test.for(tried)('Each logout token arrives when a process is killed at %s', async (failpoint, context) => {
    const scene = await setScene(context)
    const chance = chanceOf(`logout ${failpoint}`)
    const committed: string[] = []
    for (let kill = 0; kill < killsPerFailpoint; kill++) {
      committed.push(...(await endUntilKilled(scene, failpoint, 1 + Math.floor(chance() * maxPassings))))
      await scene.endLeases()
      const survivor = await scene.start()
      await scene.untilDelivered()
      expect(await survivor.stop()).toBe(0)
    }
    const sids = scene.receiver
      .all()
      .map(({ body }) => String(decodeJwt(new URLSearchParams(body).get('logout_token') ?? '').sid))
    expect(committed.length).toBeGreaterThan(0)
    expect(committed.filter((sid) => !sids.includes(sid))).toEqual([])
    const states = await scene.query('select distinct status from finished_deliveries')
    expect(states).toEqual([{ status: 'succeeded' }])
    tell(`logout tokens, killed at ${failpoint}`, { kills: killsPerFailpoint, committed: committed.length, lost: 0 })
  })
})

/**
 * Ends the sessions of one person after the other. Each is at two applications: one that answers at once, and one that takes its time.
 * Gives what was committed before the kill, as `sid`s.
 */
async function endUntilKilled(scene: Scene, failpoint: Failpoint, passing: number): Promise<string[]> {
  const doomed = await scene.start({ program, env: { FAULT_POINT: failpoint, FAULT_PASSING: `${passing}` } })
  const ended = once(doomed.process, 'exit')
  const ours = await doomed.organization()
  const apps = await Promise.all(
    ['quick', 'slow'].map(async (name) => {
      const path = `/${ours.id}/${name}`
      if (name === 'slow') scene.receiver.behave(path, { delayMs: 40 })
      return addLogoutApplication(doomed, ours, scene.receiver.url(path))
    }),
  )
  for (let isAlive = true; isAlive; ) isAlive = await endOne(scene, doomed, ours, apps)
  expect(await ended).toEqual([null, 'SIGKILL'])
  // A process may be killed before it answers what it has committed.
  const committed = await scene.query<{ sid: string }>(
    `select sid from unnest($1::text[]) sid where not exists (select from issuer_sessions s where s.payload::text like '%' || sid || '%')`,
    [sidsOf.get(ours.id) ?? []],
  )
  return committed.map(({ sid }) => sid)
}

/** By organization. */
const sidsOf = new Map<string, string[]>()

/** Gives whether the process has answered. */
async function endOne(scene: Scene, doomed: Signet, ours: Organization, apps: string[]): Promise<boolean> {
  try {
    const { body } = await doomed.as(ours, 'POST', '/persons', {})
    const personId: string = body.result.person_id
    const sids = await addSession(scene.query, ours, personId, apps)
    sidsOf.set(ours.id, [...(sidsOf.get(ours.id) ?? []), ...sids])
    const { status } = await doomed.as(ours, 'DELETE', `/persons/${personId}/sessions`)
    return status === 204
  } catch {
    return false
  }
}
