import { examples, type Register } from '@signet/cli'
import { megabytes } from '../../ground/runtime/megabytes.ts'
import type { Backup } from '../../operator/backup/index.ts'
import { showBytes, showProgress } from './progress.ts'
import { folderOf, readEmbeddedSettings } from './settings.ts'

export const registerBackup: Register = (program, contextOf) => {
  program
    .command('backup <folder>')
    .description('Write a backup of the embedded database into an empty folder, while the service runs or not.')
    .addHelpText('after', `\nIt holds the master key.`)
    .addHelpText('after', examples('signet backup /var/backups/signet-monday'))
    .action(async (folder: string, _options, command) => {
      const { dataDir } = await readEmbeddedSettings('backup')
      const { takeSignal, output } = contextOf(command)
      const { backUp } = await import('../../operator/backup/index.ts')
      const progress = showProgress(output)
      await backUp({
        dataDir,
        folder: folderOf(folder),
        signal: takeSignal(),
        onProgress: showBytes(progress, 'Copied'),
        onComplete: (made) => {
          progress.end()
          // Changes wait until this process ends, so it does not wait for whoever reads this.
          void output.show({ type: 'backup', ...made }, describe(made))
        },
      })
    })
}

const describe = ({ folder, bytes, files_count, complete_until, has_master_key }: Backup) =>
  [
    `Backup: ${folder} (${megabytes(bytes)}, ${files_count} files)`,
    `Complete until: ${complete_until}`,
    has_master_key
      ? 'It holds the master key: keep it as secret as the data folder.'
      : 'The master key is a setting of the service and not in it: keep SIGNET_MASTER_KEY elsewhere.',
  ].join('\n')
