import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { percent } from './figures.ts'
import { givenServer, isQuick, typedOptions } from './options.ts'
import { cpuPressure, cpuStolen } from './processes.ts'

const results = join(import.meta.dirname, '../RESULTS.md')
/** When the benchmark began. */
const begin = { at: performance.now(), stolen: cpuStolen() }

/** The machine in a line, with what else it has to do now. */
export function describeMachine(): string {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`
  const load = `${describeLoad()} at the start`
  return `${availableParallelism()} cores (${cpus()[0]?.model}), ${memory}, ${process.platform} ${process.arch}, ${load}, Node ${process.versions.node}`
}

const describeLoad = () => `load average ${loadavg()[0]?.toFixed(2)} and CPU pressure ${cpuPressure()} %`

/**
 * Prints the report, and puts it into RESULTS.md between the markers of its name, instead of the last one; but not that of
 * a quick run. A given server has markers of its own, behind those of the embedded one.
 */
export function report(name: string, machine: string, ...paragraphs: string[]) {
  const date = new Date().toISOString().slice(0, 10)
  const command = `npm run bench -- ${name} ${typedOptions}`.trim()
  const text = [
    `\`${command}\`, ${date}: ${machine}; ${describeLoad()} at the end; ${describeStolen()}.`,
    ...paragraphs,
  ].join('\n\n')
  console.log(`\n${text}`)
  if (isQuick) return
  const kept = readFileSync(results, 'utf8')
  if (!kept.includes(endOf(name))) throw new Error(`bench/RESULTS.md lacks the markers of ${name}`)
  const section = givenServer === undefined ? name : `${name} on a given server`
  const begun = kept.includes(endOf(section))
    ? kept
    : kept.replace(endOf(name), `${endOf(name)}\n\n${beginningOf(section)}${endOf(section)}`)
  const [before, rest = ''] = begun.split(beginningOf(section))
  const after = rest.split(endOf(section))[1]
  writeFileSync(results, `${before}${beginningOf(section)}\n\n${text}\n\n${endOf(section)}${after}`)
}

const beginningOf = (section: string) => `<!-- ${section} -->`
const endOf = (section: string) => `<!-- end of ${section} -->`

/** Where it is much, the figures say more of the host than of the programs. */
function describeStolen(): string {
  const seconds = ((performance.now() - begin.at) / 1_000) * availableParallelism()
  return `${percent((cpuStolen() - begin.stolen) / seconds)} of the processors' time went to others on the same host`
}
