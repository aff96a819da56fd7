import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
// @ts-expect-error Plain JavaScript, for Node 20.
import { programs } from '../../../scripts/programs.mjs'
import { suites } from '../../../tests/suites.ts'
import { settingNames } from '../../src/start/config.ts'
import { repository } from '../support/program.ts'
import { type CommandHelp, readCommands, wrongWith } from './command-help.ts'
import { type Block, blocksOf, inlineCodeOf, pages, textOf } from './pages.ts'
import { isWhole } from './statements.ts'

/** What is printed, as far as it shows without running it: `npm run test:everything -- printed` runs it. */
type Printed = { page: string; text: string }

const blocks = pages.flatMap((page) => blocksOf(page))
const printed: Printed[] = [
  ...blocks.map(({ page, commands }) => ({ page, text: commands })),
  ...pages.flatMap((page) => inlineCodeOf(page).map((text) => ({ page, text }))),
]
const places = ({ page, line }: Block) => `${page}:${line}`

/** Each text of a form that is printed and wrong, with its page. */
const wrong = (form: RegExp, isRight: (name: string) => boolean) =>
  printed.flatMap(({ page, text }) =>
    [...text.matchAll(form)]
      .map(([all, name = all]) => name)
      .filter((name) => !isRight(name))
      .map((name) => ({ page, name })),
  )

/** Each command in one line, as a shell reads it. */
const joined = (text: string) => text.replace(/\\\n\s*/g, ' ')

describe('Blocks of commands', () => {
  test('Pages with blocks are found', () => {
    expect(blocks.length).toBeGreaterThan(80)
    expect(blocks.filter(({ page }) => page === 'README.md').length).toBeGreaterThan(0)
  })

  test('Each block is whole statements of a shell, or is marked as one that is not run, with a reason', () => {
    const unclear = blocks.filter(({ mark, commands }) => (mark ? mark.reason.length < 10 : !isWhole(commands.trim())))
    expect(unclear.map(places)).toEqual([])
  })

  test('Each mark belongs to a block', () => {
    const marks = pages.map(
      (page) => textOf(page).match(/<!-- (not run|embedded database only|own server only)\b/g)?.length ?? 0,
    )
    const inline = pages.flatMap((page) => textOf(page).match(/<!-- not run: `/g) ?? []).length
    expect(blocks.filter(({ mark }) => mark).length + inline).toBe(marks.reduce((sum, count) => sum + count, 0))
  })
})

describe('Headers', () => {
  test('No command sends a second Content-Type beside that of data/headers, which is refused', () => {
    const commands = blocks.flatMap((block) => block.commands.split(/(?<!\\)\n/).map((text) => ({ ...block, text })))
    const twice = commands.filter(({ text }) => text.includes('-H @data/headers') && /-H ['"]content-type:/i.test(text))
    expect(twice.map(places)).toEqual([])
  })
})

describe('Names', () => {
  const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))

  test('Each npm run that is printed is a script', () => {
    expect(wrong(/\bnpm run ([a-z][\w:-]*[a-z])(?![\w:-]| -w)/g, (name) => name in scripts)).toEqual([])
  })

  test.each(
    Object.entries({ ...programs, 'test:everything': Object.fromEntries(suites.map(({ name }) => [name, true])) }),
  )('Each name that is printed after npm run %s -- is one that it takes', (script, named) => {
    const names = new RegExp(`\\bnpm run ${script} -- ([a-z][\\w -]*[\\w])`, 'g')
    expect(wrong(names, (given) => (given.split(' ')[0] as string) in (named as object))).toEqual([])
  })

  test('Each setting that is printed exists', () => {
    const { plain, secrets } = settingNames
    const known = new Set([...plain, ...secrets, ...secrets.map((name) => `${name}_FILE`)])
    const read = execFileSync(
      'git',
      ['grep', '-ohE', 'SIGNET_[A-Z_]+', '--', '*.ts', '*.mjs', '*.sh', 'package.json'],
      {
        cwd: repository,
        encoding: 'utf8',
      },
    )
    for (const name of read.split('\n')) known.add(name)
    // `SIGNET_RATE_…` stands for several.
    const isRight = (name: string) =>
      known.has(name) || (name.endsWith('_') && [...known].some((each) => each.startsWith(name)))
    expect(wrong(/\bSIGNET_[A-Z][A-Z_]*/g, isRight)).toEqual([])
  })

  test('Each path of the repository that is printed exists', () => {
    const form =
      /(?<![\w./-])((?:server|scripts|sdk|cli|console|examples|docs|bench|proto)\/[\w./-]*[\w/])(?![\w*{<…-])/g
    // The beginning of a name selects tests; what is built is not there before.
    const exists = (path: string) => path.includes('/dist') || globSync(`${path}*`, { cwd: repository }).length > 0
    expect(wrong(form, exists)).toEqual([])
  })
})

describe('The program', () => {
  let commands: CommandHelp[]

  beforeAll(async () => {
    commands = await readCommands()
  })

  test('The help of each command shows how it is used, and examples', () => {
    expect(commands.length).toBeGreaterThan(10)
    for (const { path, text } of commands) expect(text).toMatch(new RegExp(`^Usage: signet ${path.join(' ')}`))
    const without = commands.filter((help) => help.commands.length === 0 && help.examples.length === 0)
    expect(without.map(({ path }) => path.join(' '))).toEqual([])
  })

  test('Each example of a help is a command line that the program takes', () => {
    const lines = commands.flatMap(({ examples }) => examples).map((line) => line.replace(/^.*?\bsignet /, 'signet '))
    expect(lines.flatMap((line) => wrongWith(line, commands) ?? [])).toEqual([])
  })

  test('Each example of a help is in a block of a page, which is run', () => {
    const all = blocks.map(({ commands: text }) => text).join('\n')
    expect(commands.flatMap(({ examples }) => examples).filter((line) => !all.includes(line))).toEqual([])
  })

  test('Each command line of signet that is printed is one that the program takes', () => {
    const lines = blocks.flatMap(({ page, commands: text }) =>
      [...joined(text).matchAll(/(?:^|npx |\(|-- |exec signet )(signet [a-z].*)$/gm)].map(([, line = '']) => ({
        page,
        line,
      })),
    )
    const named = pages.flatMap((page) =>
      inlineCodeOf(page).flatMap((code) => {
        const [, line] = /^(?:[A-Z_]+=\S+ )*(?:npx )?(signet [a-z][^…/]*)$/.exec(code) ?? []
        return line ? [{ page, line }] : []
      }),
    )
    expect(lines.length).toBeGreaterThan(20)
    const problemsOf = (isWhole: boolean) => (each: { page: string; line: string }) => {
      const problem = wrongWith(each.line, commands, isWhole)
      return problem ? [`${each.page}: ${each.line}: ${problem}`] : []
    }
    const problems = [...lines.flatMap(problemsOf(true)), ...named.flatMap(problemsOf(false))]
    expect(problems).toEqual([])
  })
})
