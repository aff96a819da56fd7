import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Cell } from '../../src/operator/move/index.ts'
import { giveUpMoved, moveIn, moveOut, startMoved, undoMove } from '../../src/operator/move/index.ts'
import { type MovingCell, passphrase, startMovingCell } from '../support/moving-cell.ts'
import { temporaryFolder } from '../support/program.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

let receiver: Receiver
let former: MovingCell
let next: MovingCell

beforeAll(async () => {
  receiver = await startReceiver()
  ;[former, next] = await Promise.all([startMovingCell(receiver), startMovingCell(receiver)])
})

afterAll(async () => {
  await Promise.all([former?.end(), next?.end()])
  await receiver?.stop()
})

// Proves console/65.
test('The organization of the operator’s people neither leaves nor arrives by any step of a move, and a move of it can be undone', async (context) => {
  const { id } = await former.service.organization()
  const naming = ({ cell }: MovingCell): Cell => ({
    ...cell,
    operatorGroup: { organizationId: id, groupName: 'operators' },
  })
  const file = join(temporaryFolder(context), 'organization')
  const sealing = { file, passphrase, onProgress: () => {} }
  const isNamed = 'organization: is named by SIGNET_OPERATOR_ORGANIZATION'

  await expect(moveOut(naming(former), id, sealing)).rejects.toThrow(isNamed)
  // It is named only once its move has begun.
  await moveOut(former.cell, id, sealing)
  await expect(moveOut(naming(former), id, sealing)).rejects.toThrow(isNamed)
  await expect(moveIn(naming(next), sealing)).rejects.toThrow(isNamed)
  const { receipt } = await moveIn(next.cell, sealing)
  expect(() => giveUpMoved(naming(former), id, receipt)).toThrow(isNamed)
  expect(await undoMove(naming(former), id)).toBe('served')
  await expect(startMoved(naming(next), id, receipt)).rejects.toThrow(isNamed)
  expect(await undoMove(naming(next), id, { isNotGivenUp: true })).toBe('removed')
  expect((await former.service.operate('GET', `/organizations/${id}`)).status).toBe(200)
})
