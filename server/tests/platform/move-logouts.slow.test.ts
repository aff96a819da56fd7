import { join } from 'node:path'
import { expect, test } from 'vitest'
import { giveUpMoved, moveIn, moveOut, startMoved } from '../../src/operator/move/index.ts'
import { addLogoutApplication, openLogouts } from '../support/logouts.ts'
import { passphrase, startMovingCell } from '../support/moving-cell.ts'
import { temporaryFolder } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'

test('Applications hear of each sign-out before their organization moves, and what failed is repeated at the next cell', async (context) => {
  const receiver = await startReceiver()
  context.onTestFinished(() => receiver.stop())
  const start = async () => {
    const started = await startMovingCell(receiver)
    context.onTestFinished(started.end)
    return started
  }
  const [former, next] = [await start(), await start()]
  const ours = await former.service.organization()
  const paths = ['live', 'ill'].map((name) => `/${ours.id}/${name}`)
  receiver.behave(`/${ours.id}/live`, { delayMs: 300 })
  receiver.behave(`/${ours.id}/ill`, { first: { times: 1, status: 500 } })
  const clientIds = await Promise.all(
    paths.map((path) => addLogoutApplication(former.service, ours, receiver.url(path))),
  )
  const logouts = openLogouts(former.connection)
  await logouts.end(ours, ...clientIds.flatMap((clientId) => ['a', 'b'].map((sid) => ({ clientId, sid }))))
  const file = join(temporaryFolder(context), 'organization')
  const progress = { passphrase, file, onProgress: () => {} }
  await moveOut(former.cell, ours.id, progress)
  await logouts.close()
  // Each was tried: none is held back by the move.
  expect(paths.map((path) => receiver.received(path).length)).toEqual([2, 2])
  const { receipt } = await moveIn(next.cell, progress)
  await startMoved(next.cell, ours.id, await giveUpMoved(former.cell, ours.id, receipt))
  await receiver.waitFor(`/${ours.id}/ill`, 3, 30_000)
  for (const clientId of clientIds) {
    const list = () => next.service.as(ours, 'GET', `/organizations/applications/${clientId}/deliveries`)
    const states = async () => (await list()).body.result.map(({ status }: { status: string }) => status)
    await expect.poll(states).toEqual(['succeeded', 'succeeded'])
  }
}, 120_000)
