import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { remainsOf, startDemo } from '../../support/demo.ts'
import { temporaryFolder } from '../../support/program.ts'

const timeoutMs = 150_000

describe('npm run demo -- sign-in', { timeout: timeoutMs }, () => {
  test('The demo signs a person in, shows claims and events, and leaves nothing but a picture', async (context) => {
    const folder = temporaryFolder(context)
    const picture = join(temporaryFolder(context), 'chooser.png')
    const demo = startDemo(context, folder, 'demo-sign-in.ts', picture)
    expect(await demo.ended, demo.output()).toBe(0)
    expect(demo.output()).toMatch(/"plan": "free",.* ← added by the hook/)
    for (const name of ['PersonCreated_v1', 'AuthenticationSucceeded_v1'])
      expect(demo.output()).toMatch(new RegExp(`^ +${name}\\n +\\{\\n(.*\\n)*? +"event_name": "${name}"`, 'm'))
    expect(demo.output()).toMatch(/The application says Hello again\.\n/)
    expect(readFileSync(picture).subarray(0, 8)).toEqual(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))
    expect(await remainsOf(folder, demo.output())).toEqual([])
  })

  test('The demo fails when it is interrupted while the browser is open, and leaves nothing behind', async (context) => {
    const folder = temporaryFolder(context)
    const demo = startDemo(context, folder, 'demo-sign-in.ts', join(temporaryFolder(context), 'chooser.png'))
    await demo.says(/Chromium \d/)
    for (const _ of [1, 2]) process.kill(demo.pid, 'SIGINT')
    expect(await demo.ended).toBe(1)
    expect(demo.output()).toMatch(/\nThe demo failed: it was interrupted\n$/)
    expect(await remainsOf(folder, demo.output())).toEqual([])
  })
})
