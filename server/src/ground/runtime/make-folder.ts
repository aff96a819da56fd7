import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** With its parents. A recursive mkdir never returns where a parent such as /proc takes no folder. */
export function makeFolder(path: string, mode: number) {
  if (isFolder(path)) return
  makeFolder(dirname(path), mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Another process may make it at this moment.
    if (!isFolder(path)) throw error
  }
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
