import type { Output } from '@signet/cli'
import { megabytes } from '../../ground/runtime/megabytes.ts'

/** Between two lines of the same step. */
const everyMs = 1_000

export type Progress = {
  /** `members` are for `--json`; a new `step` of theirs, whatever its numbers, is shown at once. */
  show(members: { step?: string; [name: string]: unknown }, text: string): void
  end(): void
}

/** At a terminal one line that is written over; with `--json` a line now and then; in a pipe nothing. */
export function showProgress({ isJson, record }: Output): Progress {
  const { isTTY } = process.stderr
  const shown = { at: Number.NEGATIVE_INFINITY, step: '' }
  const isDue = (step: string) => step !== shown.step || performance.now() - shown.at >= everyMs
  return {
    show: (members, text) => {
      const step = members.step?.replace(/\d+/g, '') ?? ''
      if (!(isJson || isTTY) || !isDue(step)) return
      Object.assign(shown, { at: performance.now(), step })
      if (isJson) void record({ type: 'progress', ...members })
      else process.stderr.write(`\r\u001b[K${text} `)
    },
    end: () => {
      if (isTTY && !isJson) process.stderr.write('\r\u001b[K')
    },
  }
}

export const showBytes = (progress: Progress, verb: string) => (bytes: number, of: number) =>
  progress.show({ bytes, of_bytes: of }, `${verb} ${megabytes(bytes)} of ${megabytes(of)}`)
