import type { Output } from './command-output.ts'

/** Between two lines of progress. */
const everyMs = 1_000

export type Progress = {
  /** `members` are for `--json`. */
  show(members: Record<string, unknown>, text: string): void
  end(): void
}

/** At a terminal one line that is written over; with `--json` a line now and then; in a pipe nothing. */
export function showProgress({ isJson, record }: Output): Progress {
  const { isTTY } = process.stderr
  let shownAt = Number.NEGATIVE_INFINITY
  return {
    show: (members, text) => {
      if (!(isJson || isTTY) || performance.now() - shownAt < everyMs) return
      shownAt = performance.now()
      if (isJson) void record({ type: 'progress', ...members })
      else process.stderr.write(`\r\u001b[K${text} `)
    },
    end: () => {
      if (isTTY && !isJson) process.stderr.write('\r\u001b[K')
    },
  }
}
