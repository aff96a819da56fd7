import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../../../support/program.ts'

const deployment = join(repository, 'examples/deployment')

/**
 * Writes a file of `examples/deployment` into `folder`, with other addresses and folders in place of those that the
 * documentation shows, and nothing else changed. Each of `replaced` must be there.
 */
export function writeConfiguration(folder: string, name: string, replaced: Record<string, string>): string {
  const path = join(folder, name)
  writeShared(path, replaceAll(name, readFileSync(join(deployment, name), 'utf8'), replaced))
  return path
}

function replaceAll(name: string, text: string, replaced: Record<string, string>): string {
  for (const found of Object.keys(replaced)) if (!text.includes(found)) throw new Error(`${name} has no ${found}`)
  const pattern = new RegExp(Object.keys(replaced).map(RegExp.escape).join('|'), 'g')
  return text.replace(pattern, (found) => replaced[found] as string)
}

/** For a program that runs as another user. */
export function writeShared(path: string, text: string) {
  writeFileSync(path, text)
  chmodSync(path, 0o644)
}
