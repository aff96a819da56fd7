import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startEmbeddedPostgres } from '../../../src/ground/database/embedded/index.ts'
import { copyDatabase } from '../../../src/operator/backup/copy/index.ts'
import { backUp, restore } from '../../../src/operator/backup/index.ts'
import { makeDataDir } from '../../../src/operator/installation/index.ts'
import { makeApplication } from '../../support/application.ts'
import { openBrowser } from '../../support/browser.ts'
import { temporaryFolder } from '../../support/program.ts'
import type { Service } from '../../support/service.ts'
import { ada, type SignIns, startSignIns } from '../../support/sign-ins.ts'

const signal = new AbortController().signal
const ignore = () => {}

test('A person signs in as the same one on what was copied into a data folder, backed up and restored', async () => {
  await using life = new AsyncDisposableStack()
  const folder = temporaryFolder({ onTestFinished })
  const signIns = life.adopt(await startSignIns(), (started) => started.stop())
  const { organization } = await signIns.tenant()
  let node: Service = signIns.service
  const application = await makeApplication(node, organization, () => node.baseUrl)
  const signIn = () =>
    application.signIn(
      openBrowser(() => node.baseUrl),
      { person: ada },
    )
  const before = await signIn()

  const dataDir = await copied(signIns, join(folder, 'data'))
  const [backup, restored] = [join(folder, 'backup'), join(folder, 'restored')]
  await backUp({ dataDir, folder: backup, signal, onProgress: ignore, onComplete: ignore })
  await restore({ folder: backup, dataDir: restored, deliver: false, signal, onProgress: ignore })

  const postgres = await startEmbeddedPostgres({ folder: join(restored, 'postgres'), diesWithParent: true })
  life.defer(postgres.stop)
  node = await signIns.startNode({ connection: postgres.connection })
  life.defer(node.stop)
  const after = await signIn()
  expect(after.sub).toBe(before.sub)
  const events = (await node.as(organization, 'GET', '/events')).body.result
  const nameOf = ({ event_metadata }: { event_metadata: { event_name: string } }) => event_metadata.event_name
  expect(events.map(nameOf)).toEqual(['PersonCreated_v1', 'AuthenticationSucceeded_v1', 'AuthenticationSucceeded_v1'])
})

/** Gives the data folder. */
async function copied({ connection }: SignIns, dataDir: string): Promise<string> {
  makeDataDir(dataDir)
  const postgres = await startEmbeddedPostgres({ folder: join(dataDir, 'postgres'), diesWithParent: true })
  await recordStart(connection)
  const ends = { source: connection, target: postgres.connection }
  await copyDatabase({ ...ends, deliver: true, signal, onProgress: ignore }).finally(postgres.stop)
  return dataDir
}

/** As a start of the whole service does. */
async function recordStart(connection: SignIns['connection']) {
  const client = new pg.Client(connection)
  await client.connect()
  await client.query("insert into installation (base_url, master_key_check) values ('http://localhost:8080', '')")
  await client.end()
}
