import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { nodeOfTheMachine } from '../support/node-of-the-machine.ts'
import { type Life, repository, run, temporaryFolder } from '../support/program.ts'

const node20 = nodeOfTheMachine()
const starter = join(repository, 'server/src/signet.mjs')
/** Runs nothing but what it is given: the program that the starter leads to, so that signals and codes can be seen. */
const program = `
process.on('SIGTERM', () => { console.log('asked to end'); process.exit(7) })
console.log(process.versions.node, process.argv.slice(2).join())
if (process.argv[2] === 'wait') setInterval(() => {}, 1_000)
else process.kill(process.pid, 'SIGKILL')
`

/** A clone with the starter alone, and with a Node of its own where one is given. */
function cloneWith(life: Life, node?: string) {
  const folder = temporaryFolder(life)
  const starter = join(folder, 'server/src/signet.mjs')
  mkdirSync(dirname(starter), { recursive: true })
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  cpSync(join(repository, 'server/src/signet.mjs'), starter)
  writeFileSync(join(folder, 'server/src/signet.ts'), program)
  if (node) symlinkSync(node, join(folder, 'node_modules/.bin/node'))
  return starter
}

const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '24.11.0' } })`
const asOlder = ['--import', `data:text/javascript,${encodeURIComponent(older)}`]

test('A Node that is too old, with no other in the clone, is told so in one line', async (context) => {
  for (const own of [undefined, process.execPath]) {
    const refused = run(context, [process.execPath, ...asOlder, cloneWith(context, own), '--version'], {})
    expect(await refused.ended).toBe(1)
    expect(refused.output()).toMatch(
      /^signet: needs Node 24\.12 or later, and this is 24\.11\.0; run `npm start` once .*\n$/,
    )
  }
})

const onlyWithNode20 = test.skipIf(!node20)

onlyWithNode20('An older Node runs every command under the Node of the clone', async (context) => {
  for (const command of [
    'init',
    'migrate',
    'backup',
    'restore',
    'copy',
    'move',
    'keys reencrypt',
    'doctor',
    'listen',
  ]) {
    const shown = run(context, [node20 ?? '', starter, ...command.split(' '), '--help'], {})
    expect(await shown.ended).toBe(0)
    expect(shown.output()).toContain(`Usage: signet ${command}`)
  }
  const unknown = run(context, [node20 ?? '', starter, 'initt'], {})
  expect(await unknown.ended).toBe(2)
})

onlyWithNode20('Arguments, signals and the end pass through it', async (context) => {
  const inClone = cloneWith(context, process.execPath)
  const waiting = run(context, [node20 ?? '', inClone, 'wait', 'a b'], {})
  const [, version] = await waiting.says(/^(\S+) wait,a b\n/)
  expect(version).toBe(process.versions.node)
  process.kill(waiting.pid, 'SIGTERM')
  expect(await waiting.ended).toBe(7)
  expect(waiting.output()).toContain('asked to end')
  expect(await run(context, [node20 ?? '', inClone], {}).ended).toBe(137)
})
