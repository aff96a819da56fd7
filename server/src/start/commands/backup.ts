import { type Backup, backUp, megabytes, type Restored, restore } from '../../operator/backup/index.ts'
import type { Output } from './command-output.ts'
import { describeWebhooks } from './describe-webhooks.ts'
import { type Progress, showProgress } from './progress.ts'

type Common = { dataDir: string; folder: string; signal: AbortSignal; output: Output }

/** `signet backup <folder>`. */
export async function backupCommand({ output, ...common }: Common) {
  const progress = showProgress(output)
  await backUp({
    ...common,
    onProgress: showBytes(progress, 'Copied'),
    onComplete: (made) => {
      progress.end()
      // Changes wait until this process ends, so it does not wait for whoever reads this.
      void output.show({ type: 'backup', ...made }, describeBackup(made))
    },
  })
}

/** `signet restore <folder> [--deliver]`. */
export async function restoreCommand({ output, deliver, ...common }: Common & { deliver: boolean }) {
  const progress = showProgress(output)
  const onProgress = showBytes(progress, 'Verified and copied')
  const made = await restore({ ...common, deliver, onProgress }).finally(progress.end)
  await output.show({ type: 'restored', ...made }, describeRestored(made, deliver))
}

const describeBackup = ({ folder, bytes, files_count, complete_until, has_master_key }: Backup) =>
  [
    `Backup: ${folder} (${megabytes(bytes)}, ${files_count} files)`,
    `Complete until: ${complete_until}`,
    has_master_key
      ? 'It holds the master key: keep it as secret as the data folder.'
      : 'The master key is a setting of the service and not in it: keep SIGNET_MASTER_KEY elsewhere.',
  ].join('\n')

function describeRestored(made: Restored, deliver: boolean): string {
  const { data_dir, complete_until, base_url, has_master_key } = made
  return [
    `Restored: ${data_dir}, complete until ${complete_until}`,
    `Base URL: ${base_url}`,
    ...describeWebhooks(made, deliver),
    ...(has_master_key ? [] : ['Set SIGNET_MASTER_KEY to the one of the service: it is not in the backup.']),
    'Start it with npm start, or from the package with signet start.',
  ].join('\n')
}

const showBytes = (progress: Progress, verb: string) => (bytes: number, of: number) =>
  progress.show({ bytes, of_bytes: of }, `${verb} ${megabytes(bytes)} of ${megabytes(of)}`)
