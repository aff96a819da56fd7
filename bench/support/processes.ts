import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** What processes use, as Linux tells it in /proc; the benchmarks run there alone. */
const ticksPerSecond = 100

/** Seconds of CPU that a process has used since it began. */
export function cpuOf(pid: number): number {
  const [user = 0, system = 0] = timesOf(pid)
  return (user + system) / ticksPerSecond
}

/** Seconds of CPU that the descendants of a process have used, also those which have ended and were waited for. */
export function cpuBelow(pid: number): number {
  const ticks = descendantsOf(pid).flatMap(timesOf)
  return ticks.reduce((sum, each) => sum + each, 0) / ticksPerSecond
}

/** Seconds of CPU that a process and its descendants have used, also those which have ended and were waited for. */
export const cpuWithin = (pid: number): number =>
  timesOf(pid).reduce((sum, each) => sum + each, 0) / ticksPerSecond + cpuBelow(pid)

/** Seconds of CPU that this machine wanted since it began and its host gave to others; 0 on a machine of its own. */
export const cpuStolen = (): number =>
  Number(/^cpu(?: +\d+){7} +(\d+)/.exec(read('/proc/stat'))?.[1] ?? 0) / ticksPerSecond

/** Seconds that the processors were not idle since the machine began, with what its host took. */
export function cpuBusy(): number {
  const [user = 0, nice = 0, system = 0, , , hard = 0, soft = 0, stolen = 0] = (read('/proc/stat').split('\n')[0] ?? '')
    .split(/ +/)
    .slice(1)
    .map(Number)
  return (user + nice + system + hard + soft + stolen) / ticksPerSecond
}

/** Seconds in which something waited for a processor, since the machine began. */
export const cpuWaited = (): number =>
  Number(/^some .*total=(\d+)/.exec(read('/proc/pressure/cpu'))?.[1] ?? Number.NaN) / 1e6

/** Threads that run, or wait for a processor. */
export const runnable = (): number => Number(/^procs_running (\d+)/m.exec(read('/proc/stat'))?.[1] ?? Number.NaN)

/** Percent of the last ten seconds in which something waited for a processor; NaN where the kernel does not tell. */
export const cpuPressure = (): number =>
  Number(/^some avg10=([\d.]+)/.exec(read('/proc/pressure/cpu'))?.[1] ?? Number.NaN)

/** The parent of a process. */
export const parentOf = (pid: number): number => Number(statOf(pid)[1])

/** Whether a process of this machine has that number and that program. */
export const isNamed = (pid: number, program: string): boolean => read(`/proc/${pid}/comm`) === `${program}\n`

/** Bytes of memory that a process has in use. */
export const residentOf = (pid: number): number => bytesIn(`/proc/${pid}/status`, 'VmRSS')

/** Bytes of memory that a process had in use at its peak, since `forgetPeak`. */
export const peakOf = (pid: number): number => bytesIn(`/proc/${pid}/status`, 'VmHWM')
export const forgetPeak = (pid: number) => writeFileSync(`/proc/${pid}/clear_refs`, '5')

/** Bytes that the descendants of a process have in use; what several of them share counts once. */
export const residentBelow = (pid: number): number =>
  descendantsOf(pid).reduce((sum, each) => sum + bytesIn(`/proc/${each}/smaps_rollup`, 'Pss'), 0)

function descendantsOf(pid: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const parents = new Map(pids.map((name) => [Number(name), parentOf(Number(name))]))
  const below = (parent: number): number[] =>
    [...parents].flatMap(([child, its]) => (its === parent ? [child, ...below(child)] : []))
  return below(pid)
}

/** In ticks: user, system, and the same of the children it has waited for. */
const timesOf = (pid: number): number[] => statOf(pid).slice(11, 15).map(Number)

/** From the third field on: the second, the program's name in brackets, may contain blanks. Empty once it has ended. */
const statOf = (pid: number): string[] => read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []

function bytesIn(path: string, field: string): number {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(read(path))
  return Number(line?.[1] ?? 0) * 1_024
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
