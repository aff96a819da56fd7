import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Life, processesOn, repository, run, temporaryFolder } from './support/program.ts'

const timeoutMs = 90_000

describe('npm run demo', { timeout: timeoutMs }, () => {
  test('creates a person, shows the event that a receiver verified, and leaves nothing behind', async (context) => {
    const folder = temporaryFolder(context)
    const demo = startDemo(context, folder)
    expect(await demo.ended).toBe(0)
    expect(demo.output()).toMatch(/POST \/persons .*\n +201 .*\n(.*\n)*.*"trigger_name": "PersonCreated_v1"/)
    expect(demo.output()).not.toContain('The demo failed')
    expect(await remainsOf(folder, demo.output())).toEqual([])
  })

  test('interrupted twice, it fails and leaves nothing behind', async (context) => {
    const folder = temporaryFolder(context)
    const demo = startDemo(context, folder)
    await demo.says(/Listening: /)
    for (const _ of [1, 2]) process.kill(demo.pid, 'SIGINT')
    expect(await demo.ended).toBe(1)
    expect(demo.output()).toMatch(/\nThe demo failed: it was interrupted\n$/)
    expect(await remainsOf(folder, demo.output())).toEqual([])
  })

  test('what goes wrong is told in a line', async (context) => {
    const demo = startDemo(context, join(temporaryFolder(context), 'missing'))
    expect(await demo.ended).toBe(1)
    expect(demo.output()).toMatch(/^\nThe demo failed: ENOENT: .*\n$/)
  })
})

/** `folder` is the system's temporary one for it. */
const startDemo = (life: Life, folder: string) =>
  run(life, [process.execPath, join(repository, 'scripts/demo.ts')], { TMPDIR: folder })

/** Files, processes of PostgreSQL, and ports on which somebody still listens. */
async function remainsOf(folder: string, output: string): Promise<unknown[]> {
  const ports = [...output.matchAll(/(?:localhost|receiver\.test):(\d+)/g)].map(([, port]) => Number(port))
  expect(ports.length).toBeGreaterThan(1)
  const open = await Promise.all(ports.map(async (port) => ((await isOpen(port)) ? [port] : [])))
  return [...readdirSync(folder), ...processesOn(folder), ...open.flat()]
}

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, 'localhost', () => socket.end(() => resolve(true)))
    socket.on('error', () => resolve(false))
  })
