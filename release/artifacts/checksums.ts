import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const name = 'SHA256SUMS'

/** Writes SHA256SUMS, which `sha256sum --check` reads, for each file of the folder. */
export function writeChecksums(folder: string) {
  const lines = filesOf(folder).map((file) => `${sha256Of(join(folder, file))}  ${file}\n`)
  writeFileSync(join(folder, name), lines.join(''))
}

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== name)
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()

export const sha256Of = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')
