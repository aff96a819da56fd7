import { type Block, textOf } from '../documents/pages.ts'

/** The commands in the first column of the readme's tables; `<!-- not run: `npm test`: … -->` marks each that begins so. */
export function commandsOfReadme(text = textOf('README.md')): Block[] {
  const marks = [...text.matchAll(/<!-- not run: `([^`]+)`: (.*?) -->/gs)]
  return [...text.matchAll(/^\|.*\| `((?:npm|npx) [^`]+)` \|$|^\| `((?:npm|npx) [^`]+)` \|/gm)].map((found) => {
    const commands = found[1] ?? found[2] ?? ''
    const [, , reason] = marks.find(([, beginning = '']) => commands.startsWith(beginning)) ?? []
    const line = text.slice(0, found.index).split('\n').length
    return { page: 'README.md', line, commands, ...(reason && { mark: { kind: 'not run' as const, reason } }) }
  })
}
