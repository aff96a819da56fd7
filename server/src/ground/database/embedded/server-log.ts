import { closeSync, constants, fchownSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Owner } from './run-as.ts'

/** A longer log is rotated at the next start; one older log is kept. */
const longestLogBytes = 10_000_000
const longestTailBytes = 10_000
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants

/** PostgreSQL's own log: a file and not a pipe, for PostgreSQL may live longer than this process. */
type ServerLog = {
  /** For a process to write to. */
  descriptor: number
  /** Closes it here, and gives the end of what was written since it was opened. */
  close(): string
}

export function openServerLog(folder: string, { uid, gid }: Owner): ServerLog {
  const path = join(folder, 'postgres.log')
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > longestLogBytes) renameSync(path, `${path}.1`)
  const descriptor = openSync(path, O_APPEND | O_CREAT | O_RDWR | O_NOFOLLOW, 0o600)
  fchownSync(descriptor, uid, gid)
  const { size: start } = fstatSync(descriptor)
  return { descriptor, close: () => readAndClose(descriptor, start) }
}

function readAndClose(descriptor: number, start: number): string {
  const { size } = fstatSync(descriptor)
  const tail = Buffer.alloc(Math.min(size - start, longestTailBytes))
  readSync(descriptor, tail, 0, tail.length, size - tail.length)
  closeSync(descriptor)
  return tail.toString()
}

/** The last lines about why a program of PostgreSQL ended, without its messages to clients. */
export function reasonIn(output: string): string {
  const lines = output.trim().split('\n')
  const complaint = /\b(FATAL|PANIC|error):\s+(?!\s|the database system is )/
  const line = lines.findLast((line) => complaint.test(line)) ?? lines.at(-1) ?? ''
  return line.replace(/^.*?\b[A-Z]+:\s+/, '')
}
