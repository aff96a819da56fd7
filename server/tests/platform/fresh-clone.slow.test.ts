import { execFileSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { nodeOfTheMachine } from '../support/node-of-the-machine.ts'
import { repository, run, temporaryFolder } from '../support/program.ts'

/** It fetches what npm has not kept of an installation before. */
const installationMs = 300_000
const wholeProgram = [
  'start',
  'init',
  'backup',
  'restore',
  'copy',
  'move',
  'keys reencrypt',
  'doctor',
  'listen',
  'apply',
]

test('In a fresh clone, installed as `npm start` does it, `signet` is the whole program', {
  timeout: installationMs,
}, async (context) => {
  const clone = join(temporaryFolder(context), 'clone')
  execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${repository}`, clone])
  const path = [dirname(nodeOfTheMachine() ?? process.execPath), process.env.PATH].join(delimiter)
  const environment = { PATH: path, HOME: process.env.HOME ?? '' }
  const npm = ['ci', '--omit=dev', '--prefer-offline', '--no-progress']
  execFileSync('npm', npm, { cwd: clone, env: environment, stdio: 'pipe' })
  const linked = join(clone, 'node_modules/.bin/signet')
  expect(realpathSync(linked)).toBe(realpathSync(join(clone, 'server/src/signet.mjs')))

  const ways: [string, string[]][] = [
    [clone, ['npx', 'signet']],
    [clone, [linked]],
    [join(clone, 'docs'), ['npx', 'signet']],
    [join(clone, 'server'), ['npx', 'signet']],
    [dirname(clone), ['npx', '--prefix', clone, 'signet']],
  ]
  for (const [cwd, way] of ways) {
    const shown = run(context, ['sh', '-c', 'cd "$0" && exec "$@"', cwd, ...way, 'init', '--help'], environment)
    expect([await shown.ended, shown.output()]).toEqual([0, expect.stringMatching(/^Usage: signet init/)])
  }
  for (const command of wholeProgram) {
    const shown = run(context, [linked, ...command.split(' '), '--help'], environment)
    expect([await shown.ended, shown.output()]).toEqual([0, expect.stringContaining(`Usage: signet ${command}`)])
  }
})
