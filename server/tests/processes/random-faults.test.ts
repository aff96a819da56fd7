import { expect, inject, test } from 'vitest'
import { tell } from '../faults/support/suite.ts'
import { testDatabase } from '../support/database.ts'
import { isLong } from '../support/form.ts'
import { breakAtRandom } from './support/faults.ts'
import { size, startInstallation } from './support/installation.ts'

/** In the short form one for each process, in the long form as many as take some ten minutes. */
const faultCount = isLong ? 100 : size
const pauseMs = isLong ? 8_000 : 500

test('Three processes that are killed, frozen and restarted at random lose nothing, and no other one fails a request', {
  timeout: isLong ? 1_800_000 : 180_000,
}, async (context) => {
  console.log(`processes: SIGNET_FAULTS_SEED=${inject('faultsSeed')}`)
  const database = await testDatabase()
  context.onTestFinished(database.drop)
  const { fleet, load, expectNothingLost } = await startInstallation(context, database)
  load.startReading()
  const faults = await breakAtRandom(fleet, faultCount, pauseMs)
  expect(faults.killed + faults.frozen + faults.restarted).toBeGreaterThanOrEqual(faultCount)
  tell('three processes', { ...faults, ...(await expectNothingLost()) })
  for (const some of [load.created, load.deleted, load.signedIn]) expect(some.size).toBeGreaterThan(0)
  expect(await fleet.stop()).toEqual(Array(size).fill(0))
})
