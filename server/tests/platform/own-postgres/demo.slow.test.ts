import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { remainsOf, startDemo } from '../../support/demo.ts'
import { temporaryFolder } from '../../support/program.ts'

const timeoutMs = 150_000

describe('npm run demo', { timeout: timeoutMs }, () => {
  test('The demo creates a person, shows the event that a receiver verified, and leaves nothing behind', async (context) => {
    const folder = temporaryFolder(context)
    const demo = startDemo(context, folder, 'demo.ts')
    expect(await demo.ended).toBe(0)
    expect(demo.output()).toMatch(/POST \/persons .*\n +201 .*\n(.*\n)*.*"trigger_name": "PersonCreated_v1"/)
    expect(demo.output()).not.toContain('The demo failed')
    expect(await remainsOf(folder, demo.output())).toEqual([])
  })

  test('The demo fails when it is interrupted twice, and leaves nothing behind', async (context) => {
    const folder = temporaryFolder(context)
    const demo = startDemo(context, folder, 'demo.ts')
    await demo.says(/Listening: /)
    for (const _ of [1, 2]) process.kill(demo.pid, 'SIGINT')
    expect(await demo.ended).toBe(1)
    expect(demo.output()).toMatch(/\nThe demo failed: it was interrupted\n$/)
    expect(await remainsOf(folder, demo.output())).toEqual([])
  })

  test('The demo reports a failure in one line', async (context) => {
    const demo = startDemo(context, join(temporaryFolder(context), 'missing'), 'demo.ts')
    expect(await demo.ended).toBe(1)
    expect(demo.output()).toMatch(/^\nThe demo failed: ENOENT: .*\n$/)
  })
})
