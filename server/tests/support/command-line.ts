import { type Life, type Program, run, temporaryFolder } from './program.ts'
import type { Client, Organization } from './signet.ts'

export type Settings = Record<string, string>

/** Where the command line finds the service, and with which key. */
export const settingsOf = ({ baseUrl }: Pick<Client, 'baseUrl'>, { id, apiKey }: Organization): Settings => ({
  SIGNET_URL: baseUrl,
  SIGNET_ORGANIZATION_ID: id,
  SIGNET_API_KEY: apiKey,
})

/** `signet` with a state folder of its own, unless one is given. `input`: a file that it reads. */
export function startCommand(life: Life, args: string[], settings: Settings, input?: string): Program {
  const command = [process.execPath, 'server/src/signet.ts', ...args]
  const withInput = input === undefined ? command : ['sh', '-c', 'exec "$@" < "$0"', input, ...command]
  return run(life, withInput, { XDG_STATE_HOME: temporaryFolder(life), ...settings })
}

export async function runCommand(...given: Parameters<typeof startCommand>) {
  const program = startCommand(...given)
  return { code: await program.ended, output: program.output() }
}

/** What `--json` prints. */
export const linesOf = (output: string) =>
  output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
