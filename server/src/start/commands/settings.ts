import { CommandError, exitCodes } from '@signet/cli'
import { continueUnderNeededNode } from './needed-node.ts'

export const usage = (message: string) => new CommandError(message, exitCodes.usage)

const needed = { major: 24, minor: 12 }

/** In one line, where it is: the commands that need only the interface of a service also run on Node 20. */
export function nodeIsTooOld(): string | undefined {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > needed.major || (major === needed.major && minor >= needed.minor)) return undefined
  return `this needs Node ${needed.major}.${needed.minor} or later, and this is ${process.versions.node}`
}

/** Of a command that needs the settings of the service. */
export async function readSettings() {
  const tooOld = nodeIsTooOld()
  if (tooOld) await continueUnderNeededNode(tooOld)
  const { readConfig } = await import('../config.ts')
  try {
    return readConfig()
  } catch (error) {
    throw usage((error as Error).message)
  }
}

/** Of a command for the embedded database alone. */
export async function readEmbeddedSettings(command: string) {
  const config = await readSettings()
  if (!config.databaseUrl) return config
  const advice = "use pg_basebackup or pg_dump, your provider's snapshots, or signet copy"
  throw usage(`DATABASE_URL: is set, and signet ${command} is for the embedded database; ${advice}`)
}

/** An empty one would be the current folder. */
export function folderOf(text: string): string {
  if (text.trim() === '') throw usage('<folder>: must not be empty')
  return text
}
