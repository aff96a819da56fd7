import { type Backup, backUp, megabytes, type Restored, restore } from '../backup/index.ts'
import type { Output } from './command-output.ts'

/** Between two lines of progress. */
const progressEveryMs = 1_000

type Common = { dataDir: string; folder: string; signal: AbortSignal; output: Output }

/** `signet backup <folder>`. */
export async function backupCommand({ output, ...common }: Common) {
  const progress = showProgress(output, 'Copied')
  await backUp({
    ...common,
    onProgress: progress.show,
    onComplete: (made) => {
      progress.end()
      // Changes wait until this process ends, so it does not wait for whoever reads this.
      void output.show({ type: 'backup', ...made }, describeBackup(made))
    },
  })
}

/** `signet restore <folder> [--deliver]`. */
export async function restoreCommand({ output, deliver, ...common }: Common & { deliver: boolean }) {
  const progress = showProgress(output, 'Verified and copied')
  const made = await restore({ ...common, deliver, onProgress: progress.show }).finally(progress.end)
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
  const { data_dir, complete_until, base_url, webhooks_paused, deliveries_waiting, has_master_key } = made
  const paused = `Webhooks: ${webhooks_paused} paused; resume each with PATCH /organizations/webhooks/<id> {"enabled": true}`
  return [
    `Restored: ${data_dir}, complete until ${complete_until}`,
    `Base URL: ${base_url}`,
    deliver ? 'Webhooks: as they were; what waits goes out at the start' : paused,
    `Deliveries that wait: ${deliveries_waiting}`,
    ...(has_master_key ? [] : ['Set SIGNET_MASTER_KEY to the one of the service: it is not in the backup.']),
    'Start it with npm start.',
  ].join('\n')
}

/** At a terminal one line that is written over; with `--json` a line now and then; in a pipe nothing. */
function showProgress({ isJson, record }: Output, verb: string) {
  const { isTTY } = process.stderr
  let shownAt = Number.NEGATIVE_INFINITY
  const show = (bytes: number, of: number) => {
    if (isJson) void record({ type: 'progress', bytes, of_bytes: of })
    else process.stderr.write(`\r${verb} ${megabytes(bytes)} of ${megabytes(of)} `)
  }
  return {
    show: (bytes: number, of: number) => {
      if (!(isJson || isTTY) || performance.now() - shownAt < progressEveryMs) return
      shownAt = performance.now()
      show(bytes, of)
    },
    end: () => {
      if (isTTY && !isJson) process.stderr.write('\r\u001b[K')
    },
  }
}
