import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../scripts/free-port.ts'
import { administer, testDatabase } from '../support/database.ts'
import { startSignet } from '../support/signet.ts'

/** Claims fail for half a minute before `/readyz` says so. */
const patience = { timeout: 90_000, interval: 500 }

test('Claims that fail all the time are a line of /readyz and a metric, and make a process unready that does nothing else', async () => {
  const database = await testDatabase()
  onTestFinished(database.drop)
  const [port, metricsPort] = [await freePort(), await freePort()]
  const env = { SIGNET_BASE_URL: `http://localhost:${port}` }
  const both = await startSignet({
    databaseUrl: database.url,
    port,
    env: { ...env, SIGNET_METRICS_PORT: `${metricsPort}` },
  })
  onTestFinished(both.kill)
  const worker = await startSignet({ databaseUrl: database.url, env: { ...env, SIGNET_ROLES: 'worker' } })
  onTestFinished(worker.kill)
  const api = await startSignet({ databaseUrl: database.url, env: { ...env, SIGNET_ROLES: 'api' } })
  onTestFinished(api.kill)
  const said = async () => {
    const found = await Promise.all([both, worker, api].map((signet) => signet.call('GET', '/readyz')))
    return found.map(({ status, body }) => [status, body.status, body.checks.deliveries])
  }
  const failingSeconds = async () => {
    const metrics = await (await fetch(`http://localhost:${metricsPort}/metrics`)).text()
    return Number(/^signet_delivery_claims_failing_seconds (\S+)$/m.exec(metrics)?.[1])
  }
  await expect.poll(said, patience).toEqual([
    [200, 'ready', 'ok'],
    [200, 'ready', 'ok'],
    [200, 'ready', undefined],
  ])
  expect(await failingSeconds()).toBe(0)

  await administer(database, 'alter table lanes rename to hidden')
  await expect.poll(said, patience).toEqual([
    [200, 'ready', 'failing 42P01'],
    [503, 'not ready', 'failing 42P01'],
    [200, 'ready', undefined],
  ])
  expect(await failingSeconds()).toBeGreaterThan(30)

  await administer(database, 'alter table hidden rename to lanes')
  await expect.poll(said, patience).toEqual([
    [200, 'ready', 'ok'],
    [200, 'ready', 'ok'],
    [200, 'ready', undefined],
  ])
  expect(await failingSeconds()).toBe(0)
})

test('A worker that cannot register claims nothing, which counts as claims that fail', async () => {
  const database = await testDatabase()
  onTestFinished(database.drop)
  const env = { SIGNET_BASE_URL: `http://localhost:${await freePort()}`, SIGNET_ROLES: 'worker' }
  const worker = await startSignet({ databaseUrl: database.url, env })
  onTestFinished(worker.kill)
  const said = async () => {
    const { status, body } = await worker.call('GET', '/readyz')
    return [status, body.checks.deliveries]
  }
  await administer(database, 'alter table workers rename to hidden')
  await expect.poll(said, patience).toEqual([503, 'failing 42P01'])
  await administer(database, 'alter table hidden rename to workers')
  await expect.poll(said, patience).toEqual([200, 'ok'])
})
