import { examples, type Output, type Register } from '@signet/cli'
import type { MigrationProgress } from '../../ground/database/migrate.ts'
import { readSettings, usage } from './settings.ts'

export const registerMigrate: Register = (program, contextOf) => {
  program
    .command('migrate')
    .description('Bring the database of DATABASE_URL to this version, and do nothing else.')
    .addHelpText(
      'after',
      `\nEach start does so too; run alone, as a job before an update, it delays none. Processes of the version before go on meanwhile,\n` +
        `unless the changelog says that the release is breaking. It can be stopped and run again.`,
    )
    .addHelpText('after', examples('signet migrate'))
    .action(async (_options, command) => {
      const { databaseUrl, databaseUrlFile, databaseWaitMs } = await readSettings()
      if (!databaseUrl) throw usage('DATABASE_URL: is required; the embedded database is migrated by each start')
      const { output, takeSignal } = contextOf(command)
      const signal = takeSignal()
      const { renewableConnection } = await import('../../ground/database/connection.ts')
      const { awaitServer } = await import('../../ground/database/server-check.ts')
      const { migrate } = await import('../../ground/database/migrate.ts')
      const connection = renewableConnection(databaseUrl, databaseUrlFile)
      await awaitServer(connection, databaseWaitMs, output.note, { signal })
      const applied = new Set<string>()
      const onProgress = (progress: MigrationProgress) => {
        applied.add(progress.name)
        void show(output, progress)
      }
      await migrate(connection, async () => {}, undefined, signal, onProgress)
      await output.show({ type: 'migrated', applied: applied.size }, describe(applied.size))
    })
}

/** In a pipe as well: a job's log is all that its operator sees of it. */
const show = (output: Output, { name, number, of, isWaiting }: MigrationProgress) =>
  isWaiting
    ? output.show({ type: 'waiting', migration: name }, `Waiting for a table that another transaction uses: ${name}`)
    : output.show({ type: 'applying', migration: name, number, of }, `Applying ${number} of ${of}: ${name}`)

const describe = (applied: number) =>
  applied === 0 ? 'Nothing to do: the database has this version' : `Migrated: ${applied} applied`
