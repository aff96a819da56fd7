import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeOfTheMachine } from '../../server/tests/support/node-of-the-machine.ts'
import { processesOn, run, temporaryFolder } from '../../server/tests/support/program.ts'
import { freePort } from '../free-port.ts'
import { fetchedBefore, type InstalledPackage, inFolder, installServerPackage } from './installed-server-package.ts'

let folder: string
let installed: InstalledPackage

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signet-dev-package-'))
  installed = await installServerPackage(folder)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const node20 = nodeOfTheMachine()
const nodes: [string, string | undefined][] = [
  ['the Node that it needs', process.execPath],
  [node20 ? 'the Node 20 of this machine' : 'Node 20, which this machine does not have', node20],
]

describe.each(nodes)('`signet dev` in an empty folder, under %s', { timeout: 150_000 }, (_, node) => {
  test.skipIf(!node)(
    'A first and a second start show a verified webhook, and Ctrl-C leaves the data folder alone',
    async (context) => {
      const settings = { ...fetchedBefore(context, installed), PORT: `${await freePort()}` }
      const place = temporaryFolder(context)
      for (const _ of ['first', 'second']) {
        const dev = run(context, inFolder(place, node ?? '', installed.program, 'dev'), settings)
        await dev.says(/^Verified: PersonCreated_v1$/m)
        await dev.says(/Stop with Ctrl-C\.\n$/)
        expect(dev.output()).toContain(join(installed.place, 'examples/receiver/receiver.js'))
        expect(dev.output()).not.toMatch(/npx signet|npm run|npm start/)
        process.kill(dev.pid, 'SIGINT')
        expect(await dev.ended).toBe(0)
        expect(dev.output()).toMatch(/\nStopped\. .*: npx @signet\/server start\n$/)
        expect(processesOn(place)).toEqual([])
        expect(readdirSync(place)).toEqual(['data'])
      }
    },
  )
})

test('`signet dev` on a port that is taken says how to take another one', async (context) => {
  const taken = createServer().listen(await freePort(), '127.0.0.1')
  context.onTestFinished(() => void taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const settings = { ...fetchedBefore(context, installed), PORT: `${port}` }
  const place = temporaryFolder(context)
  const dev = run(context, inFolder(place, process.execPath, installed.program, 'dev'), settings)
  expect(await dev.ended).toBe(1)
  expect(dev.output()).toContain(`PORT: ${port} is taken by another program; set PORT to a free one`)
})
