import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest'
import { freePort } from '../../../scripts/free-port.ts'
import { makeMasterKey } from '../../src/ground/keys/index.ts'
import { testDatabase } from '../support/database.ts'
import { repository, run, temporaryFolder } from '../support/program.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type Organization, type Signet, startSignet } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

const [oldKey, newKey] = [makeMasterKey(), makeMasterKey()]

describe('signet keys reencrypt', { timeout: 120_000 }, () => {
  const path = '/hook'
  let receiver: Receiver

  beforeAll(async () => {
    receiver = await startReceiver()
  })

  afterAll(() => receiver?.stop())

  const command = (context: TestContext, env: Record<string, string>, ...options: string[]) =>
    run(context, [process.execPath, join(repository, 'server/src/signet.ts'), 'keys', 'reencrypt', ...options], env)

  /** An organization with a webhook that carries a header. */
  async function addSecrets(signet: Signet): Promise<Organization> {
    const organization = await signet.organization()
    const headers = { custom_headers: { 'x-secret': ['kept'] } }
    await addWebhook(signet, organization, receiver.url(path), ['PersonCreated_v1'], headers)
    return organization
  }

  /** Shows that both the header and the signing key can be read. */
  async function expectSecrets(signet: Signet, organization: Organization) {
    const number = receiver.received(path).length + 1
    await signet.as(organization, 'POST', '/test-events', [{ event_name: 'PersonCreated_v1' }])
    const delivered = (await receiver.waitFor(path, number)).at(-1)
    expect(delivered?.headers['x-secret']).toBe('kept')
    const { body } = await signet.call('GET', '/organizations/webhooks/verification-jwks', {
      'Service-OrgID': organization.id,
    })
    await jwtVerify(delivered?.body ?? '', createLocalJWKSet(body))
  }

  const doneText = `Re-encrypted: 3. Left under another master key: 0.
Once every process runs with the new key first, the others can be removed from SIGNET_MASTER_KEY.
Keep them with the backups made before.
`

  test('The command works beside the running service, which then needs the new key alone', async (context) => {
    const database = await testDatabase()
    context.onTestFinished(database.drop)
    const port = await freePort()
    let signet: Signet | undefined
    context.onTestFinished(async () => signet?.kill())
    const restart = async (masterKey: string) => {
      await signet?.stop()
      signet = await startSignet({ databaseUrl: database.url, receiver, masterKey, port })
      return signet
    }
    const organization = await addSecrets(await restart(oldKey))
    const both = `${newKey},${oldKey}`
    const running = await restart(both)
    await expectSecrets(running, organization)
    const env = { DATABASE_URL: database.url, SIGNET_BASE_URL: running.baseUrl, SIGNET_MASTER_KEY: both }
    const reencryption = command(context, env)
    expect(await reencryption.ended).toBe(0)
    expect(reencryption.output()).toBe(doneText)
    await expectSecrets(running, organization)
    await expectSecrets(await restart(newKey), organization)
    expect(await command(context, { ...env, SIGNET_MASTER_KEY: oldKey }).ended).toBe(1)
  })

  test('The command finds the embedded database of the running service, and the master keys beside it', async (context) => {
    const dataDir = join(temporaryFolder(context), 'data')
    const env = { SIGNET_DATA_DIR: dataDir }
    const port = await freePort()
    let signet: Signet | undefined
    context.onTestFinished(async () => signet?.kill())
    const keptAs = (keys: string) => writeFileSync(join(dataDir, 'master-key'), keys)
    const restart = async () => {
      await signet?.stop()
      signet = await startSignet({ dataDir, receiver, masterKey: '', port })
      return signet
    }
    const organization = await addSecrets(await restart())
    keptAs(`${newKey},${readFileSync(join(dataDir, 'master-key'), 'utf8')}`)
    await restart()
    const reencryption = command(context, env, '--json')
    expect(await reencryption.ended).toBe(0)
    const records = reencryption
      .output()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(records[0]).toMatchObject({ type: 'progress' })
    expect(records.at(-1)).toEqual({ type: 'reencrypted', done: 5, left: 0 })
    keptAs(newKey)
    await expectSecrets(await restart(), organization)
    await signet?.stop()
    const tooLate = command(context, env)
    expect(await tooLate.ended).toBe(1)
    expect(tooLate.output()).toBe(`${dataDir}: no Signet runs on this data folder; start it, and run this beside it\n`)
  })

  test('The command reports a folder where no service was started yet', async (context) => {
    const database = await testDatabase()
    context.onTestFinished(database.drop)
    const env = { DATABASE_URL: database.url, SIGNET_BASE_URL: 'https://signet.example', SIGNET_MASTER_KEY: newKey }
    const early = command(context, env)
    expect(await early.ended).toBe(1)
    expect(early.output()).toBe('database: Signet has not been started on it yet\n')
  })
})
