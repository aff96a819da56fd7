import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Life, processesOn, repository, run, temporaryFolder } from './support/program.ts'

const timeoutMs = 90_000

describe('npm run demo:regions', { timeout: timeoutMs }, () => {
  test('shows a 408 while a region is paused and a 201 when it goes on, and leaves nothing behind', async (context) => {
    const folder = temporaryFolder(context)
    const demo = startDemo(context, folder)
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
    expect(remainsOf(folder)).toEqual([])
  })

  test('interrupted, it fails and leaves nothing behind', async (context) => {
    const folder = temporaryFolder(context)
    const demo = startDemo(context, folder)
    await demo.says(/^1\. /m)
    process.kill(demo.pid, 'SIGINT')
    expect(await demo.ended).toBe(1)
    expect(demo.output()).toMatch(/\nThe demo failed: it was interrupted\n$/)
    expect(remainsOf(folder)).toEqual([])
  })
})

/** `folder` is the system's temporary one for it. */
const startDemo = (life: Life, folder: string) =>
  run(life, [process.execPath, join(repository, 'scripts/demo-regions.ts')], { TMPDIR: folder })

/** Files, and processes such as those of PostgreSQL. */
const remainsOf = (folder: string): unknown[] => [...readdirSync(folder), ...processesOn(folder)]
