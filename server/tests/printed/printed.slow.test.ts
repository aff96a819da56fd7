import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Block, blocksOf, pages } from '../documents/pages.ts'
import { statementsOf } from '../documents/statements.ts'
import { nodeOfTheMachine } from '../support/node-of-the-machine.ts'
import { commandsOfReadme } from './inline-commands.ts'
import { isStart, lasting, type Scene, scenes } from './scenes.ts'
import { openTerminal, type Terminal } from './terminal.ts'
import { makeClone, openWorld, type World, type WorldName } from './world.ts'

/** Every command that is printed, page by page, in a fresh clone; the readme comes first, since it says how to install. */
const worlds: WorldName[] = ['embedded database', 'own server']
const byPage = [...pages].sort((one, other) => Number(other === 'README.md') - Number(one === 'README.md'))
const blocks = byPage.flatMap((page) => [...blocksOf(page), ...(page === 'README.md' ? commandsOfReadme() : [])])

let clone: string

beforeAll(() => {
  clone = makeClone()
  console.log(`First in the path: ${nodeOfTheMachine() ?? 'no older Node, which this machine lacks'}`)
})

afterAll(() => rmSync(join(clone, '..'), { recursive: true, force: true, maxRetries: 10 }))

describe.each(worlds)('On the %s', (name) => {
  const isLeftOut = ({ mark }: Block) => mark && mark.kind !== `${name} only`
  let world: World

  beforeAll(async () => {
    world = await openWorld(name, clone)
  })

  afterAll(() => world?.close())

  test.each(blocks.filter(isLeftOut).map(({ page, line, mark }) => [`${page}:${line}`, mark?.reason]))(
    '%s is not run: %s',
    (_place, reason) => expect(reason).toBeTruthy(),
  )

  test.each(byPage.filter((page) => blocks.some((block) => block.page === page && !isLeftOut(block))))(
    'Each command of %s runs',
    (page) =>
      follow(
        world,
        scenes[page] ?? {},
        blocks.filter((block) => block.page === page && !isLeftOut(block)),
      ),
  )
})

async function follow(world: World, { replaced = {}, first, before = {}, promised }: Scene, ofPage: Block[]) {
  const terminal = openTerminal(world.clone, await world.enter())
  const asHere = (text: string) =>
    Object.entries({ ...replaced, ...world.replaced }).reduce((all, [from, to]) => all.replaceAll(from, to), text)
  const run = (statement: string) => runStatement(terminal, statement)
  const runAll = async (text: string, prepareFor = (_statement: string): string | undefined => undefined) => {
    for (const statement of statementsOf(text)) {
      const preparation = prepareFor(statement)
      if (preparation) await runAll(preparation)
      await run(statement)
    }
  }
  const prepareFor = (statement: string) =>
    Object.entries(before).find(([beginning]) => statement.startsWith(beginning))?.[1]
  try {
    await terminal.paste('signet() { npx signet "$@"; }')
    if (!ofPage[0] || !isStart(ofPage[0].commands)) await runAll(running)
    if (first) await runAll(first)
    for (const { line, commands } of ofPage)
      await runAll(asHere(commands), prepareFor).catch((error) => {
        throw new Error(`line ${line}: ${commands}\n${error.message}`)
      })
    if (promised) await runAll(promised)
  } finally {
    await terminal.close()
  }
}

/** A page that does not say how Signet is started takes it for running, with a receiver's certificate, and its files for read. */
const running = 'npm run certificate\nnpm start\n. ./data/environment'

async function runStatement(terminal: Terminal, statement: string) {
  const one = lasting.find(({ command }) => command.test(statement))
  if (isStart(statement)) await terminal.stopAll()
  const said = await terminal.paste(one ? inBackground(statement) : statement)
  if (one?.needs) await terminal.provoke(one.needs, one.ready)
  else if (one) await terminal.says(one.ready)
  // curl succeeds with whatever it is answered.
  if (/\bcurl\b/.test(statement)) expect(said, statement).not.toContain('{"errors":[')
}

const inBackground = (statement: string) =>
  /&\s*$/.test(statement) ? statement : `${statement.replace(/\s+#.*$/, '')} &`
