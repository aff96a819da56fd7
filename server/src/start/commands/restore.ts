import { examples, type Register } from '@signet/cli'
import type { Restored } from '../../operator/backup/index.ts'
import { describeWebhooks } from './describe-webhooks.ts'
import { showBytes, showProgress } from './progress.ts'
import { folderOf, readEmbeddedSettings } from './settings.ts'

export const registerRestore: Register = (program, contextOf) => {
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
      const { restore } = await import('../../operator/backup/index.ts')
      const progress = showProgress(output)
      const onProgress = showBytes(progress, 'Verified and copied')
      const options = { dataDir, folder: folderOf(folder), deliver, signal: takeSignal(), onProgress }
      const made = await restore(options).finally(progress.end)
      await output.show({ type: 'restored', ...made }, describe(made, deliver))
    })
}

function describe(made: Restored, deliver: boolean): string {
  const { data_dir, complete_until, base_url, has_master_key } = made
  return [
    `Restored: ${data_dir}, complete until ${complete_until}`,
    `Base URL: ${base_url}`,
    ...describeWebhooks(made, deliver),
    ...(has_master_key ? [] : ['Set SIGNET_MASTER_KEY to the one of the service: it is not in the backup.']),
    'Start it with npm start, or from the package with signet start.',
  ].join('\n')
}
