// Tries an adapter with every case, prints a line for each and what may be claimed, and exits with 1 unless it passes.
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { startAdapter } from './adapter-process.ts'
import { claimOf, lineOf, printable } from './report.ts'
import { tryReceiver } from './try-receiver.ts'

const program = basename(import.meta.filename)
const usage = `Usage: node ${program} [--only <part of a name>] -- <command of an adapter>`

try {
  const { values, positionals } = parseArgs({ options: { only: { type: 'string' } }, allowPositionals: true })
  if (positionals.length === 0) throw new Error(usage)
  const adapter = await startAdapter(positionals)
  const { only = '' } = values
  const results = await tryReceiver(adapter, {
    isWanted: (_level, name) => name.includes(only),
    onResult: (result) => console.log(lineOf(result)),
  })
  const { lines, passes } = claimOf(adapter.hello, results, only)
  console.log(`\n${lines.join('\n')}`)
  process.exitCode = passes ? 0 : 1
  adapter.stop()
} catch (error) {
  console.error(printable((error as Error).message))
  process.exitCode = 2
}
