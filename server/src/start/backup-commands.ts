import { type Backup, backUp, megabytes, type Restored, restore } from '../backup/index.ts'
import type { Config } from '../config.ts'

/** Between two lines of progress. */
const progressEveryMs = 1_000

/** What the commands say: at a terminal and in a pipe as text, with `--json` as one object a line. */
export type Report = { isJson: boolean; isTerminal: boolean; write(text: string): void; note(text: string): void }

type Common = { folder: string; signal: AbortSignal; report: Report }

/** `signet backup <folder>`. */
export async function backupCommand(config: Config, { folder, signal, report }: Common) {
  refuseServer(config, 'backup')
  const { dataDir } = config
  const progress = showProgress(report, 'Copied')
  await backUp({
    dataDir,
    folder,
    signal,
    onProgress: progress.show,
    onComplete: (made) => {
      progress.end()
      report.write(report.isJson ? lineOf('backup', made) : describeBackup(made))
    },
  })
}

/** `signet restore <folder> [--deliver]`. */
export async function restoreCommand(config: Config, { deliver, report, ...common }: Common & { deliver: boolean }) {
  refuseServer(config, 'restore')
  const progress = showProgress(report, 'Verified and copied')
  const made = await restore({ ...common, dataDir: config.dataDir, deliver, onProgress: progress.show }).finally(
    progress.end,
  )
  report.write(report.isJson ? lineOf('restored', made) : describeRestored(made, deliver))
}

function refuseServer({ databaseUrl }: Config, command: string) {
  if (databaseUrl)
    throw new Error(
      `DATABASE_URL: is set, and signet ${command} is for the embedded database; ` +
        "use pg_basebackup or pg_dump, or your provider's snapshots",
    )
}

const lineOf = (type: string, fields: object) => `${JSON.stringify({ type, ...fields })}\n`

const describeBackup = ({ folder, bytes, files_count, complete_until, has_master_key }: Backup) =>
  [
    `Backup: ${folder} (${megabytes(bytes)}, ${files_count} files)`,
    `Complete until: ${complete_until}`,
    has_master_key
      ? 'It holds the master key: keep it as secret as the data folder.'
      : 'The master key is a setting of the service and not in it: keep SIGNET_MASTER_KEY elsewhere.',
    '',
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
    '',
  ].join('\n')
}

/** At a terminal one line that is written over; with `--json` a line now and then; in a pipe nothing. */
function showProgress({ isJson, isTerminal, write, note }: Report, verb: string) {
  let shownAt = Number.NEGATIVE_INFINITY
  const line = (done: number, of: number) =>
    isJson
      ? write(lineOf('progress', { bytes: done, of_bytes: of }))
      : note(`\r${verb} ${megabytes(done)} of ${megabytes(of)} `)
  return {
    show: (done: number, of: number) => {
      if (!(isJson || isTerminal) || performance.now() - shownAt < progressEveryMs) return
      shownAt = performance.now()
      line(done, of)
    },
    end: () => {
      if (isTerminal && !isJson) note('\r\u001b[K')
    },
  }
}
