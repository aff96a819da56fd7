#!/usr/bin/env node
// The program `signet`: the command line, with the commands that need the code of the server.
import { extname, join } from 'node:path'
import { examples, type Register, runProgram } from '@signet/cli'
import { nodeIsTooOld, readSettings, usage } from './start/commands/command-settings.ts'
import type { Target } from './start/commands/copy.ts'
import { registerMove } from './start/commands/move/register.ts'

/** The options of `npm start` in package.json, which says why. */
const optionsOfNode = ['--expose-gc', '--max-semi-space-size=32']
const firstStart = 'the first start (npm start, or signet start) makes the first organization'

const registerStart: Register = (program) => {
  program
    .command('start')
    .description('Start the service, with the settings of the environment, until Ctrl-C.')
    .addHelpText('after', examples('signet start'))
    .action(async () => {
      await readSettings()
      const main = join(import.meta.dirname, `main${extname(import.meta.filename)}`)
      // In place of this process, so that signals reach the service itself.
      process.execve?.(process.execPath, [process.execPath, ...optionsOfNode, main], process.env)
    })
}

const registerInit: Register = (program, contextOf) => {
  program
    .command('init')
    .description('Make the first organization and its API key on the database of DATABASE_URL, migrating it first.')
    .option('--name <organization>', 'name of the organization', 'First organization')
    .addHelpText('after', `\nThe key is shown only once.\n${examples('signet init --name "Example"')}`)
    .action(async ({ name }: { name: string }, command) => {
      if (!/^.{1,200}$/su.test(name)) throw usage('--name: must be 1 to 200 characters')
      const config = await readSettings()
      const { databaseUrl, baseUrl } = config
      if (!databaseUrl) throw usage(`DATABASE_URL: is required; without it, ${firstStart}`)
      const { output } = contextOf(command)
      const { initialize } = await import('./start/start.ts')
      const { id, apiKey } = await initialize(config, databaseUrl, name, output.note)
      await output.show(
        { type: 'initialized', base_url: baseUrl, organization_id: id, api_key: apiKey },
        `Base URL: ${baseUrl}\nOrganization ID: ${id}\nAPI key: ${apiKey}`,
      )
    })
}

const registerReencrypt: Register = (program, contextOf) => {
  const keys = program.commands.find((command) => command.name() === 'keys')
  keys
    ?.command('reencrypt')
    .description('Encrypt all secrets in the database again, under the first key of SIGNET_MASTER_KEY.')
    .addHelpText(
      'after',
      `\nRun it while the service runs. It can be stopped and run again.\n${examples('signet keys reencrypt')}`,
    )
    .action(async (_options, command) => {
      const config = await readSettings()
      const { reencryptSecrets } = await import('./start/commands/reencrypt-secrets.ts')
      await reencryptSecrets(config, contextOf(command).output)
    })
}

const registerBackup: Register = (program, contextOf) => {
  program
    .command('backup <folder>')
    .description('Write a backup of the embedded database into an empty folder, while the service runs or not.')
    .addHelpText('after', `\nIt holds the master key.\n${examples('signet backup /var/backups/signet-monday')}`)
    .action(async (folder: string, _options, command) => {
      const { dataDir } = await readEmbeddedSettings('backup')
      const { takeSignal, output } = contextOf(command)
      const { backupCommand } = await import('./start/commands/backup.ts')
      await backupCommand({ dataDir, folder: folderOf(folder), signal: takeSignal(), output })
    })
}

const registerRestore: Register = (program, contextOf) => {
  program
    .command('restore <folder>')
    .description(
      'Make a new data folder (SIGNET_DATA_DIR) of a backup. Webhooks stay paused, unless --deliver is given.',
    )
    .option('--deliver', 'leave webhooks as they were, so that what waits goes out at the start', false)
    .addHelpText('after', examples('SIGNET_DATA_DIR=./restored signet restore /var/backups/signet-monday'))
    .action(async (folder: string, { deliver }: { deliver: boolean }, command) => {
      const { dataDir } = await readEmbeddedSettings('restore')
      const { takeSignal, output } = contextOf(command)
      const { restoreCommand } = await import('./start/commands/backup.ts')
      await restoreCommand({ dataDir, folder: folderOf(folder), deliver, signal: takeSignal(), output })
    })
}

const registerCopy: Register = (program, contextOf) => {
  program
    .command('copy [folder]')
    .description(
      'Copy the whole database into the one of SIGNET_COPY_TO, or into a new data folder. Webhooks are paused there.',
    )
    .option('--deliver', 'leave webhooks as they were, so that what waits goes out at the start', false)
    .addHelpText(
      'after',
      `\nWhat is copied is what the service would use: DATABASE_URL, or the data folder. It may be running.\n${examples(
        'SIGNET_COPY_TO_FILE=./target signet copy',
        'signet copy ./copied',
      )}`,
    )
    .action(async (folder: string | undefined, { deliver }: { deliver: boolean }, command) => {
      const config = await readSettings()
      const target = targetOf(config.copyTo, folder)
      const { takeSignal, output } = contextOf(command)
      const { copyCommand } = await import('./start/commands/copy.ts')
      await copyCommand({ config, target, deliver, signal: takeSignal(), output })
    })
}

function targetOf(address: string | undefined, folder: string | undefined): Target {
  if (address && folder !== undefined) throw usage('SIGNET_COPY_TO: is set, and a folder is given; name one target')
  if (folder !== undefined) return { folder: folderOf(folder) }
  if (address) return { address }
  throw usage('SIGNET_COPY_TO: is required, the address of the target; or give a folder')
}

/** An empty one would be the current folder. */
const folderOf = (text: string) => {
  if (text.trim() === '') throw usage('<folder>: must not be empty')
  return text
}

async function readEmbeddedSettings(command: string) {
  const config = await readSettings()
  if (!config.databaseUrl) return config
  const advice = "use pg_basebackup or pg_dump, your provider's snapshots, or signet copy"
  throw usage(`DATABASE_URL: is set, and signet ${command} is for the embedded database; ${advice}`)
}

await runProgram(process.argv.slice(2), {
  commands: [
    registerStart,
    registerInit,
    registerReencrypt,
    registerBackup,
    registerRestore,
    registerCopy,
    registerMove,
  ],
  examineMore: async () => {
    const tooOld = nodeIsTooOld()
    if (tooOld) return [{ check: 'settings', result: 'unknown', message: `not examined, nor the database: ${tooOld}` }]
    return (await import('./start/commands/doctor-checks.ts')).examineInstallation()
  },
})
