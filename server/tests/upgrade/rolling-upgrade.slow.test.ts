import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { tell } from '../faults/support/suite.ts'
import { size, startInstallation } from '../processes/support/installation.ts'
import { readDump, readNotes } from '../schema-dump/kept-dump.ts'
import { type Connection, emptyDatabase } from '../support/database.ts'
import { repository } from '../support/program.ts'
import { unpackOldRelease } from './support/old-release.ts'

const presentProgram = join(repository, 'server/src/main.ts')
/** Old and new ones serve side by side for so long after each step. */
const stepMs = 3_000
const freezeMs = 3_000

async function restore(connection: Connection) {
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(readDump())
  await client.end()
}

/** Of its own webhooks, at which nobody listens any more. */
const receiversOf = (dump: string) =>
  [...new Set(dump.match(/(?<=https:\/\/)[a-z.]+:\d+/g))].map((target) => `${target}:127.0.0.1`)

test('Processes of this program and of the oldest that may run beside it serve one database at once while each is replaced in turn', async (context) => {
  const { program: oldProgram, seesUnqueued } = unpackOldRelease(context)
  const { masterKey, organization: kept, personId } = readNotes()
  const database = await emptyDatabase()
  context.onTestFinished(database.drop)
  await restore(database)
  const { fleet, load, client, expectNothingLost } = await startInstallation(context, database, {
    program: oldProgram,
    masterKey,
    receivers: receiversOf(readDump()),
    // The rows of the dump are as old as it is.
    env: { SIGNET_RETENTION: '876000h', SIGNET_DRAIN: '6s' },
  })
  let replacedAt = 0
  const replace = async (number: number, by: 'old' | 'new') => {
    await fleet.restart(number, `the ${by} program`, by === 'new' ? presentProgram : oldProgram)
    replacedAt = Date.now()
    await serve()
  }
  const serve = async () => {
    await wait(stepMs)
    for (let turn = 0; turn < size; turn++)
      expect((await client.as(kept, 'GET', `/persons/${personId}`)).body.result).toMatchObject({ active: true })
  }

  load.startReading()
  await serve()
  await replace(0, 'new')
  // The older release starts on the newer schema, too.
  await fleet.kill(1)
  await fleet.freeze(2, freezeMs, 'woken')
  await serve()
  await replace(1, 'new')
  await fleet.kill(0)
  await replace(1, 'old')
  await replace(1, 'new')
  await fleet.kill(2)
  await replace(2, 'new')
  tell('rolling upgrade', await expectNothingLost(seesUnqueued ? undefined : replacedAt))
  expect(await fleet.stop()).toEqual(Array(size).fill(0))
})
