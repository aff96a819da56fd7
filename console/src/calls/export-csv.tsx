import { useEffect, useState } from 'react'
import { Button } from '../design/button.tsx'
import { messagesOf } from '../design/problems.ts'
import { notify } from '../design/toasts.tsx'
import { requestCsv } from '../service/signet.ts'
import { type CsvList, type CsvProgress, csvParts } from './csv-parts.ts'
import styles from './export-csv.module.css'
import { useSteps } from './use-steps.ts'

type ExportCsvProps = CsvList & {
  /** Of the file, such as `deliveries`. */
  name: string
}

/** Saves a list with its filters, all pages of it, as the service gives it for `Accept: text/csv`. */
export function ExportCsv({ name, path, query }: ExportCsvProps) {
  const { run, start, stop } = useSteps<CsvProgress>()
  const isRunning = run.state === 'running'
  const isSlow = useIsSlow(isRunning)
  const begin = () =>
    start((signal) => saved(name, csvParts({ path, ...(query && { query }) }, requestCsv, signal), signal))
  return (
    <span className={styles.export}>
      <Button size="small" busy={isRunning} onClick={begin}>
        Export CSV
      </Button>
      {isRunning && isSlow && (
        <Button size="small" tone="quiet" onClick={stop}>
          Stop
        </Button>
      )}
      <span role="status" className={styles.told}>
        {isRunning && isSlow && `${(run.step?.rows ?? 0).toLocaleString()} rows so far…`}
        {run.state === 'failed' && `Nothing was saved: ${messagesOf(run.error).join('; ')}`}
        {run.state === 'done' && run.step?.isCut && `The file has the first ${run.step.rows.toLocaleString()} rows.`}
      </span>
    </span>
  )
}

/** What is stopped is not saved: half a table looks like a whole one. */
async function* saved(name: string, parts: AsyncGenerator<CsvProgress>, signal: AbortSignal) {
  let progress: CsvProgress | undefined
  for await (progress of parts) yield progress
  if (!progress || signal.aborted) return
  save(`${name}.csv`, progress.parts)
  const { rows, isCut } = progress
  notify(
    `${rows.toLocaleString()} ${rows === 1 ? 'row is' : 'rows are'} in ${name}.csv.${isCut ? ' There are more.' : ''}`,
  )
}

function save(name: string, parts: string[]) {
  const address = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** Later than this it is told how far it has come. */
const slowMs = 2_000

function useIsSlow(isRunning: boolean): boolean {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    if (!isRunning) return undefined
    const timer = setTimeout(() => setSlow(true), slowMs)
    return () => {
      clearTimeout(timer)
      setSlow(false)
    }
  }, [isRunning])
  return isSlow
}
