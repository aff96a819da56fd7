import { firstLine, measured, type Row } from './table.ts'

/** What was tried so far, and how it went. */
export type Journal = {
  rows: Row[]
  /** Does one thing, and records how it went: `undefined` where it failed. */
  prove<Made>(subject: string, tried: string, action: () => Promise<Made>): Promise<Made | undefined>
  /** The same for a file, with its size and digest. The action gives what else there is to say. */
  proveFile(file: string, tried: string, action: () => Promise<unknown>): Promise<void>
  cannot(subject: string, reason: string): void
}

export function openJournal(say: (line: string) => void): Journal {
  const rows: Row[] = []
  const record = async <Made>(
    row: Pick<Row, 'subject' | 'bytes' | 'sha256' | 'tried'>,
    action: () => Promise<Made>,
  ) => {
    say(`${row.subject}: ${row.tried} …`)
    const began = performance.now()
    const end = (rest: Partial<Row> & Pick<Row, 'result'>) => {
      const seconds = (performance.now() - began) / 1_000
      rows.push({ ...row, seconds, ...rest })
      say(
        `${row.subject}: ${rest.result} in ${seconds.toFixed(1)} s${rest.reason ? `: ${firstLine(rest.reason)}` : ''}`,
      )
    }
    try {
      const made = await action()
      end({ result: 'proved', ...(typeof made === 'string' && { tried: `${row.tried}: ${made}` }) })
      return made
    } catch (error) {
      end({ result: 'failed', reason: (error as Error).message })
      return undefined
    }
  }
  return {
    rows,
    prove: (subject, tried, action) => record({ subject, tried }, action),
    proveFile: async (file, tried, action) => void (await record({ ...measured(file), tried }, action)),
    cannot: (subject, reason) => rows.push({ subject, tried: '', result: 'not here', reason }),
  }
}
