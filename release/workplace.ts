import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanup } from './run.ts'

/** Where the rehearsal works: a temporary folder, which is removed at the end. */
export type Workplace = {
  /** A new folder. */
  folder(name: string): string
  /** The path of a log. */
  log(name: string): string
  /** Copies the logs where they stay. */
  keepLogs(folder: string): void
}

export function openWorkplace(): Workplace {
  const place = mkdtempSync(join(tmpdir(), 'signet-release-'))
  // The trials' user passes through it.
  chmodSync(place, 0o711)
  cleanup.defer(async () => rmSync(place, { recursive: true, force: true, maxRetries: 10 }))
  const logs = join(place, 'logs')
  mkdirSync(logs)
  return {
    folder: (name) => {
      const folder = join(place, name)
      mkdirSync(folder, { recursive: true })
      return folder
    },
    log: (name) => join(logs, `${name}.log`),
    keepLogs: (folder) => existsSync(logs) && cpSync(logs, folder, { recursive: true }),
  }
}
