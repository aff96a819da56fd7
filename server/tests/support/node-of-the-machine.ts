import { execFileSync } from 'node:child_process'
import { delimiter, join } from 'node:path'

/** A Node 20 that this machine has by itself, besides the pinned one. */
export function nodeOfTheMachine(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((path) => !path.includes('node_modules'))
  return folders.map((path) => join(path, 'node')).find((path) => majorOf(path) === 20)
}

function majorOf(node: string): number {
  try {
    return Number.parseInt(execFileSync(node, ['--version'], { encoding: 'utf8', stdio: 'pipe' }).slice(1), 10)
  } catch {
    return 0
  }
}
