import { describe, expect, test } from 'vitest'
import { remainsOf, startDemo } from '../../support/demo.ts'
import { temporaryFolder } from '../../support/program.ts'

const timeoutMs = 90_000

describe('npm run demo -- regions', { timeout: timeoutMs }, () => {
  test('The demo shows a 408 while a region is paused and a 201 when it resumes, and leaves nothing behind', async (context) => {
    const folder = temporaryFolder(context)
    const demo = startDemo(context, folder, 'demo-regions.ts')
    expect(await demo.ended).toBe(0)
    expect(
      demo
        .output()
        .match(/^ +(\d{3} after|\w+: (has|does not have) the group)/gm)
        ?.map((line) => line.trim()),
    ).toEqual([
      ...['201 after', 'local: has the group', 'eu: has the group', 'us: has the group'],
      ...['408 after', 'local: has the group', 'eu: does not have the group', 'us: has the group'],
      ...['201 after', 'local: has the group', 'eu: has the group', 'us: has the group'],
    ])
    expect(await remainsOf(folder, demo.output(), 1)).toEqual([])
  })

  test('The demo fails when it is interrupted, and leaves nothing behind', async (context) => {
    const folder = temporaryFolder(context)
    const demo = startDemo(context, folder, 'demo-regions.ts')
    await demo.says(/^1\. /m)
    process.kill(demo.pid, 'SIGINT')
    expect(await demo.ended).toBe(1)
    expect(demo.output()).toMatch(/\nThe demo failed: it was interrupted\n$/)
    expect(await remainsOf(folder, demo.output(), 0)).toEqual([])
  })
})
