import { readFileSync } from 'node:fs'
import { examples, type Register } from '@signet/cli'
import type { Copied, Progress as CopyProgress, Target } from '../../operator/backup/copy/index.ts'
import { describeWebhooks } from './describe-webhooks.ts'
import { type Progress, showProgress } from './progress.ts'
import { folderOf, readSettings, usage } from './settings.ts'

type Options = { to?: string; deliver: boolean }

export const registerCopy: Register = (program, contextOf) => {
  program
    .command('copy [folder]')
    .description('Copy the whole database into another one, or into a new data folder. Webhooks are paused there.')
    .option('--to <file>', 'the other database: a file with its address, or the address if it has no password')
    .option('--deliver', 'leave webhooks as they were, so that what waits goes out at the start', false)
    .addHelpText(
      'after',
      `\nWhat is copied is what the service would use: DATABASE_URL, or the data folder. It may be running.`,
    )
    .addHelpText('after', examples('signet copy --to ./target', 'signet copy ./copied'))
    .action(async (folder: string | undefined, { to, deliver }: Options, command) => {
      const config = await readSettings()
      const target = await targetOf(to, folder)
      const { takeSignal, output } = contextOf(command)
      const { copyBetween } = await import('../../operator/backup/copy/index.ts')
      const progress = showProgress(output)
      const onProgress = showOn(progress)
      const options = { target, deliver, signal: takeSignal(), say: output.note, onProgress }
      const copied = await copyBetween(config, options).finally(progress.end)
      await output.show({ type: 'copied', ...copied }, describe(copied, deliver))
    })
}

async function targetOf(to: string | undefined, folder: string | undefined): Promise<Target> {
  if (to !== undefined && folder !== undefined) throw usage('--to: is given, and a folder too; name one target')
  if (folder !== undefined) return { folder: folderOf(folder) }
  if (to === undefined) throw usage('--to: is required, the address of the target; or give a folder')
  // Whatever may hold a password is no path, which a message would name.
  const isAddress = /:\/\/|password=/i.test(to)
  const { readConnection, renewableConnection } = await import('../../ground/database/connection.ts')
  const address = isAddress ? to : addressIn(to)
  const read = readConnection(address)
  if ('problem' in read) throw usage(`--to: ${read.problem}`)
  // Others on this machine see the arguments of a program.
  if (isAddress && read.value.password)
    throw usage('--to: must have no password; put the address into a file, and name that')
  return { connection: renewableConnection(address, isAddress ? undefined : to) }
}

function addressIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw usage(`--to: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}
const showOn =
  (progress: Progress) =>
  ({ step, table, tables, of_tables, rows, of_rows }: CopyProgress) => {
    const verb = `${step.charAt(0).toUpperCase()}${step.slice(1)}`
    const soFar = of_rows === undefined ? `${rows} rows so far` : `${rows} of ${of_rows} rows`
    const text = `${verb} ${table}, table ${tables + 1} of ${of_tables}: ${soFar}`
    progress.show({ step, table, tables, of_tables, rows, ...(of_rows !== undefined && { of_rows }) }, text)
  }

const describe = ({ complete_until, base_url, tables, rows, ...counts }: Copied, deliver: boolean): string =>
  [
    `Copied: ${rows} rows of ${tables} tables, the same by count and hash on both sides`,
    `Complete until: ${complete_until}; what came later is not in the copy, so a service that is to move is stopped first`,
    `Base URL: ${base_url}`,
    ...describeWebhooks(counts, deliver),
    'Its secrets are encrypted as they were: Signet needs the same SIGNET_MASTER_KEY on it (embedded: the file master-key).',
  ].join('\n')
