import { CommandError, exitCodes } from '@signet/cli'

export const usage = (message: string) => new CommandError(message, exitCodes.usage)

/** Of a command that needs the settings of the service. */
export async function readSettings() {
  const { readConfig } = await import('../config.ts')
  try {
    return readConfig()
  } catch (error) {
    throw usage((error as Error).message)
  }
}
