import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from '../../../../scripts/free-port.ts'
import { repository, temporaryFolder } from '../../support/program.ts'

const patience = { timeout: 30_000, interval: 20 }

test.each([
  ['does not print the first API key where the journal keeps it', true, /^API key: kept in .*first-api-key$/m],
  ['prints the first API key where only an ancestor writes to the journal', false, /^API key: signet_/m],
])('A first start under systemd %s', async (_, isJournaled, expected) => {
  const folder = temporaryFolder({ onTestFinished })
  const journal = join(folder, 'journal')
  const descriptor = openSync(journal, 'a')
  const { dev, ino } = fstatSync(descriptor)
  const child = spawn(process.execPath, ['server/src/main.ts'], {
    cwd: repository,
    stdio: ['ignore', descriptor, descriptor],
    env: {
      PATH: process.env.PATH,
      PORT: `${await freePort()}`,
      SIGNET_DATA_DIR: join(folder, 'data'),
      JOURNAL_STREAM: `${dev}:${isJournaled ? ino : ino + 1}`,
    },
  })
  closeSync(descriptor)
  onTestFinished(() => void child.kill('SIGKILL'))
  await vi.waitFor(() => expect(readFileSync(journal, 'utf8')).toContain('Ready.'), patience)
  expect(readFileSync(journal, 'utf8')).toMatch(expected)
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})
