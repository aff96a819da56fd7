import { readFile as readFromDisk } from 'node:fs/promises'
import { text as textOf } from 'node:stream/consumers'
import { Signet } from '@signet/management'
import type { Command } from 'commander'
import { type Applying, apply } from './apply.ts'
import { exportOrganization } from './export.ts'
import { createReport, type Output } from './report.ts'
import type { Environment } from './variables.ts'

/** Where the service is, and the organization that a command is about. */
export type Connection = { baseUrl: string; organizationId: string; apiKey: string; operatorKey?: string | undefined }

/** What the two commands take from the program that they belong to. */
export type Surroundings = {
  /** With what is given in place of the settings of the program. */
  connection: (command: Command, given?: Pick<Connection, 'organizationId' | 'apiKey'>) => Connection
  output: (command: Command) => Output
  environment: Environment
  /** Absent where nobody can answer. */
  ask?: ((question: string) => Promise<boolean>) | undefined
  setExitCode: (code: number) => void
}

export function addAsCodeCommands(program: Command, surroundings: Surroundings) {
  addExport(program, surroundings)
  addApply(program, surroundings)
}

const exportHelp = `
Secrets and the values of custom headers are written as variables, \${NAME}, which the first lines of the file list.

Examples:
  $ signet export > signet.yaml
  $ signet export --organization 0199a3f2-5c00-7000-8000-0242ac120002 --api-key "$KEY" >> all.yaml`

function addExport(program: Command, { connection, output }: Surroundings) {
  program
    .command('export')
    .description('Write the organization to standard output as a file for apply')
    .addHelpText('after', exportHelp)
    .action(async (_, command: Command) => {
      const to = connection(command)
      const file = await exportOrganization(new Signet(to), to.organizationId)
      const { isJson, record, line } = output(command)
      if (isJson) record({ type: 'export', organization_id: to.organizationId, file })
      else line(file.trimEnd())
    })
}

const applyHelp = `
What the file does not name stays as it is. With --prune, what its lists do not have is deleted, after a question of its own.

Exit codes: 0 the organization is as the file says, 1 something failed or was not wanted, 2 changes are pending (--dry-run).

Examples:
  $ signet apply -f signet.yaml
  $ signet apply -f signet.yaml --dry-run
  $ signet apply -f signet.yaml --prune --yes`

type Flags = { file: string; yes: boolean; prune: boolean; dryRun: boolean; updateSecrets: boolean }

function addApply(program: Command, surroundings: Surroundings) {
  program
    .command('apply')
    .description('Make the organization what a file says: a plan, a question, the changes')
    .requiredOption('-f, --file <file>', 'the file; - for standard input')
    .option('-y, --yes', 'answer every question with yes', false)
    .option('--prune', 'delete what the lists of the file do not have', false)
    .option('--dry-run', 'show the plan and change nothing', false)
    .option('--update-secrets', 'write the secrets of credentials that exist again', false)
    .addHelpText('after', applyHelp)
    .action(async (flags: Flags, command: Command) => {
      const output = surroundings.output(command)
      const content = flags.file === '-' ? await textOf(process.stdin) : await readFromDisk(flags.file, 'utf8')
      const name = flags.file === '-' ? 'standard input' : flags.file
      surroundings.setExitCode(await apply(name, content, applying(surroundings, command, output, flags), flags))
    })
}

/** Who pipes a file in cannot answer. */
function applying(surroundings: Surroundings, command: Command, output: Output, { file }: Flags): Applying {
  const { environment, ask, connection } = surroundings
  return {
    environment,
    report: createReport(output),
    ask: file === '-' || output.isJson ? undefined : ask,
    connect: (organizationId, apiKey) => {
      const to = connection(command, organizationId && apiKey ? { organizationId, apiKey } : undefined)
      const hasOperatorKey = to.operatorKey !== undefined
      return { organizationId: to.organizationId.toLowerCase(), signet: new Signet(to), hasOperatorKey }
    },
  }
}
