import { readFile as readFromDisk } from 'node:fs/promises'
import { text as textOf } from 'node:stream/consumers'
import { Signet } from '@signet/management'
import type { Context, Register } from '../context.ts'
import { examples } from '../examples.ts'
import { CommandError, exitCodes } from '../failure.ts'
import type { Applying, ApplyOptions } from './apply.ts'

const exportHelp = `
Secrets and the values of custom headers become variables, such as \${NAME}, which the first lines of the file list.
`

export const registerExport: Register = (program, contextOf) => {
  program
    .command('export')
    .description('Write the organization to standard output, as a file for apply.')
    .addHelpText('after', exportHelp)
    .addHelpText('after', examples('signet export > signet.yaml', 'signet export --organization "$ID" >> all.yaml'))
    .action(async (_, command) => {
      const { connect, output } = contextOf(command)
      const { exportOrganization } = await import('./export.ts')
      const { signet, organizationId } = connect()
      const file = await exportOrganization(signet, organizationId)
      await output.show({ type: 'export', organization_id: organizationId, file }, file.trimEnd())
    })
}

const applyHelp = `
What the file does not name stays as it is. With --prune, what its lists do not have is deleted, after a question of its own.
--dry-run ends with exit code ${exitCodes.pending} where changes are pending.
`

type Flags = ApplyOptions & { file: string }

export const registerApply: Register = (program, contextOf) => {
  program
    .command('apply')
    .description('Make organizations what a file says: a plan, a question, the changes.')
    .requiredOption('-f, --file <file>', 'the file; - for standard input')
    .option('-y, --yes', 'answer every question with yes', false)
    .option('--prune', 'delete what the lists of the file do not have', false)
    .option('--dry-run', 'show the plan and change nothing', false)
    .option('--update-secrets', 'write the secrets of credentials that exist once more', false)
    .addHelpText('after', applyHelp)
    .addHelpText(
      'after',
      examples(
        'signet apply -f signet.yaml',
        'signet apply -f signet.yaml --dry-run',
        'signet apply -f signet.yaml --prune --dry-run',
      ),
    )
    .action(async (flags: Flags, command) => {
      const context = contextOf(command)
      const [{ apply }, { createReport }] = await Promise.all([import('./apply.ts'), import('./report.ts')])
      const name = flags.file === '-' ? 'standard input' : flags.file
      const report = createReport(context.output)
      process.exitCode = await apply(name, await contentOf(flags.file), applyingIn(context, flags, report), flags)
    })
}

async function contentOf(file: string): Promise<string> {
  if (file === '-') return textOf(process.stdin)
  return readFromDisk(file, 'utf8').catch((error) => {
    throw new CommandError(`--file: cannot be read: ${error.message}`, exitCodes.usage)
  })
}

/** Who pipes a file in cannot answer. */
function applyingIn(context: Context, { file }: Flags, report: Applying['report']): Applying {
  const { environment, ask, output, connect, place } = context
  const operatorKey = environment.SIGNET_OPERATOR_KEY || undefined
  return {
    environment,
    report,
    ask: file === '-' || output.isJson ? undefined : ask,
    connect: (organizationId, apiKey) => {
      const own = organizationId && apiKey ? { url: place().url, organizationId, apiKey } : connect()
      const signet = new Signet({ ...own, baseUrl: own.url, ...(operatorKey && { operatorKey }) })
      return { organizationId: own.organizationId.toLowerCase(), signet, hasOperatorKey: operatorKey !== undefined }
    },
  }
}
