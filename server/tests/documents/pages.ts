import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../support/program.ts'

/** A fenced block of commands. `mark`: why it is not run everywhere, said by the HTML comment above it. */
export type Block = { page: string; line: number; commands: string; mark?: Mark }

/** Where a block is not run: nowhere, or in one world only, in which the other one has no place for it. */
type Mark = { kind: 'not run' | 'embedded database only' | 'own server only'; reason: string }

const patterns = ['*.md', 'docs/**/*.md', '{sdk,cli,console,bench,proto}/**/README.md', 'examples/**/README*']
/** Its commands are those of the time, and are run no more. */
const history = ['CHANGELOG.md', 'docs/decisions/', 'docs/tested.md']

/** All that a reader may paste from, by path. */
export const pages: string[] = globSync(patterns, { cwd: repository, exclude: (path) => path.endsWith('node_modules') })
  .filter((path) => !history.some((each) => path.startsWith(each)))
  .sort()

/** What it will say once the version is published is not to be read yet; its lines stay, so that they count. */
export const textOf = (page: string): string =>
  readFileSync(join(repository, page), 'utf8').replace(/^<!-- once published\n.*?^-->$/gms, (hidden) =>
    hidden.replace(/[^\n]/g, ''),
  )

const fence = /^([ ]*)```(?:sh|bash|console|shell)\n(.*?)^\1```$/gms
const comment = /<!-- (not run|embedded database only|own server only): (.*?) -->\n+\s*$/s

/** The blocks of a page in its order. */
export function blocksOf(page: string, text = textOf(page)): Block[] {
  return [...text.matchAll(fence)].map(({ index, 1: indent = '', 2: commands = '' }) => {
    const before = text.slice(0, index)
    const [, kind, reason = ''] = comment.exec(before.slice(before.lastIndexOf('<!--'))) ?? []
    const mark = kind && { mark: { kind: kind as Mark['kind'], reason: reason.replace(/\s+/g, ' ') } }
    const line = before.split('\n').length
    return { page, line, commands: commands.replaceAll(new RegExp(`^${indent}`, 'gm'), ''), ...mark }
  })
}

/** What is set as code within a line: `npm run demo`. */
export function inlineCodeOf(page: string): string[] {
  const prose = textOf(page).replace(/^ *```.*?^ *```$/gms, '')
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
}
