import { expect, onTestFinished, test, vi } from 'vitest'
import { runCommand } from '../support/command-line.ts'
import { temporaryFolder } from '../support/program.ts'

/** Each command is a process. */
vi.setConfig({ testTimeout: 60_000 })

const id = '0199a3f2-5c00-7000-8000-0242ac120002'

test.each([
  [['out', 'acme', './acme.move'], '<organization>: must be the id of an organization, a UUID', 2],
  [['give-up', 'acme', 'receipt'], '<organization>: must be the id of an organization, a UUID', 2],
  [['start', 'acme', 'code'], '<organization>: must be the id of an organization, a UUID', 2],
  [['undo', 'acme'], '<organization>: must be the id of an organization, a UUID', 2],
  [['out', id, './acme.move'], 'SIGNET_MOVE_PASSPHRASE: is required', 2],
  [['in', './acme.move'], 'SIGNET_MOVE_PASSPHRASE: is required', 2],
])('What is wrong with signet move %o is said before a database is looked for', async (args, message, exitCode) => {
  const context = { onTestFinished }
  const { code, output } = await runCommand(context, ['move', ...args], { SIGNET_DATA_DIR: temporaryFolder(context) })
  expect(output).toContain(message)
  expect(code).toBe(exitCode)
})
