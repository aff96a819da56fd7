import { once } from 'node:events'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { type Failpoint, failpoints } from '../../src/delivery/queue/index.ts'
import { ofForm } from '../support/form.ts'
import { addLogoutApplication } from '../support/logouts.ts'
import type { Signet } from '../support/signet.ts'
import { type Scene, setScene } from './support/scene.ts'
import { chanceOf, tell, timeoutMs } from './support/suite.ts'

const program = join(import.meta.dirname, 'support/killed-at-failpoint.ts')
const maxPassings = 6
/** The long form has a hundred kills over all failpoints. */
const killsPerFailpoint = ofForm(1, Math.ceil(100 / failpoints.length))

/** A failpoint that is never passed kills nobody, and the test waits for its process in vain. */
describe('Failpoints of a logout token', { timeout: timeoutMs }, () => {
  test.for(failpoints)('Each logout token arrives when a process is killed at %s', async (failpoint, context) => {
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
    expect(committed.filter((sid) => !sids.includes(sid))).toEqual([])
    const states = await scene.query('select distinct status from finished_deliveries')
    expect(states).toEqual([{ status: 'succeeded' }])
    tell(`logout tokens, killed at ${failpoint}`, { kills: killsPerFailpoint, committed: committed.length, lost: 0 })
  })
})
