import type { Command } from 'commander'
import type { Connection, findPlace } from './connection.ts'
import type { Finding } from './doctor/finding.ts'
import type { Output } from './output.ts'

/** What every command is given. */
export type Context = {
  output: Output
  /** Aborted by Ctrl-C. A command that takes it promises to end by it; any other one is ended at once. */
  takeSignal(): AbortSignal
  environment: Record<string, string | undefined>
  connect(): Connection
  connectWithoutKey(): Omit<Connection, 'apiKey'>
  place(): ReturnType<typeof findPlace>
  /** What `doctor` finds besides the service, where there is more to examine. */
  examineMore?: () => Promise<Finding[]>
  /** Undefined where nobody can answer. */
  ask: ((question: string) => Promise<boolean>) | undefined
}

/** Adds a command to the program. Its work is imported when it runs, so that `--help` starts fast. */
export type Register = (program: Command, contextOf: (command: Command) => Context) => void
