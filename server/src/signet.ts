#!/usr/bin/env node
import { CommandError, type Context, exitCodes, type Register, runProgram } from '@signet/cli'

/** `npx signet` in a clone: the command line, with the commands that need the code of the server. */
const registerInit: Register = (program) => {
  program
    .command('init')
    .description('Make the first organization and its API key on the database of DATABASE_URL, migrating it first.')
    .option('--name <organization>', 'name of the organization', 'First organization')
    .addHelpText('after', '\nThe key is shown only once.\n\nExamples:\n  $ signet init --name "Example"\n')
    .action(async ({ name }: { name: string }) => {
      if (!/^.{1,200}$/su.test(name)) throw new Error('--name: must be 1 to 200 characters')
      const { readConfig } = await import('./config.ts')
      const config = readConfig()
      if (!config.databaseUrl)
        throw new Error('DATABASE_URL: is required; without it, npm start makes the first organization')
      const { initialize } = await import('./start/start.ts')
      const { id, apiKey } = await initialize(config, config.databaseUrl, name, console.error)
      console.log(`Base URL: ${config.baseUrl}\nOrganization ID: ${id}\nAPI key: ${apiKey}`)
    })
}

const registerReencrypt: Register = (program) => {
  const keys = program.commands.find((command) => command.name() === 'keys')
  keys
    ?.command('reencrypt')
    .description('Encrypt all secrets in the database again, under the first key of SIGNET_MASTER_KEY.')
    .addHelpText(
      'after',
      '\nRun it while the service runs. It can be stopped and run again.\n\nExamples:\n  $ signet keys reencrypt\n',
    )
    .action(async () => {
      const [{ readConfig }, { reencryptSecrets }] = await Promise.all([
        import('./config.ts'),
        import('./start/reencrypt-secrets.ts'),
      ])
      await reencryptSecrets(readConfig(), console.log)
    })
}

const registerBackup: Register = (program, contextOf) => {
  program
    .command('backup <folder>')
    .description('Write a backup of the embedded database into an empty folder, while the service runs or not.')
    .addHelpText('after', '\nIt holds the master key.\n\nExamples:\n  $ signet backup /var/backups/signet-monday\n')
    .action(async (folder: string, _options, command) => {
      const [{ readConfig }, { backupCommand }] = await Promise.all([
        import('./config.ts'),
        import('./start/backup-commands.ts'),
      ])
      await backupCommand(readConfig(), { folder: folderOf(folder), ...surroundings(contextOf(command)) })
    })
}

const registerRestore: Register = (program, contextOf) => {
  program
    .command('restore <folder>')
    .description(
      'Make a new data folder (SIGNET_DATA_DIR) of a backup. Webhooks stay paused, unless --deliver is given.',
    )
    .option('--deliver', 'leave webhooks as they were, so that what waits goes out at the start', false)
    .addHelpText('after', '\nExamples:\n  $ SIGNET_DATA_DIR=./restored signet restore /var/backups/signet-monday\n')
    .action(async (folder: string, { deliver }: { deliver: boolean }, command) => {
      const [{ readConfig }, { restoreCommand }] = await Promise.all([
        import('./config.ts'),
        import('./start/backup-commands.ts'),
      ])
      await restoreCommand(readConfig(), { folder: folderOf(folder), deliver, ...surroundings(contextOf(command)) })
    })
}

/** An empty one would be the current folder. */
const folderOf = (text: string) => {
  if (text.trim() === '') throw new CommandError('<folder>: must not be empty', exitCodes.usage)
  return text
}

function surroundings({ takeSignal, output: { isJson } }: Context) {
  const write = (text: string) => void process.stdout.write(text)
  const note = (text: string) => void process.stderr.write(text)
  return { signal: takeSignal(), report: { isJson, isTerminal: process.stderr.isTTY, write, note } }
}

await runProgram(process.argv.slice(2), {
  commands: [registerInit, registerReencrypt, registerBackup, registerRestore],
  examineMore: async () => (await import('./start/doctor-checks.ts')).examineClone(),
})
