import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { percent } from './figures.ts'
import { cpuStolen } from './processes.ts'
import { isQuick } from './quick.ts'

const results = join(import.meta.dirname, '../RESULTS.md')
/** When the benchmark began. */
const begin = { at: performance.now(), stolen: cpuStolen() }

/** The machine in a line, with what else it has to do now. */
export function describeMachine(): string {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`
  const load = `load average at the start ${loadavg()[0]?.toFixed(2)}`
  return `${availableParallelism()} cores (${cpus()[0]?.model}), ${memory}, ${process.platform} ${process.arch}, ${load}, Node ${process.versions.node}`
}

/**
 * Prints the report, and puts it into RESULTS.md between the markers of its name, instead of the last one; but not that of
 * a quick run.
 */
export function report(name: string, machine: string, ...paragraphs: string[]) {
  const date = new Date().toISOString().slice(0, 10)
  const text = [`\`npm run bench:${name}\`, ${date}: ${machine}; ${describeStolen()}.`, ...paragraphs].join('\n\n')
  console.log(`\n${text}`)
  if (isQuick) return
  const [from, to] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`]
  const [before, rest = ''] = readFileSync(results, 'utf8').split(from)
  const after = rest.split(to)[1]
  if (after === undefined) throw new Error(`bench/RESULTS.md lacks the markers of ${name}`)
  writeFileSync(results, `${before}${from}\n\n${text}\n\n${to}${after}`)
}

/** Where it is much, the figures say more of the host than of the programs. */
function describeStolen(): string {
  const seconds = ((performance.now() - begin.at) / 1_000) * availableParallelism()
  return `${percent((cpuStolen() - begin.stolen) / seconds)} of the processors' time went to others on the same host`
}
