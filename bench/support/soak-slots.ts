import type { SoakDone } from '../programs/soak-load.ts'
import { figureOf, milliseconds, percent, quantile, table, verdict, whole } from './figures.ts'
import type { Sample } from './soak-sampler.ts'

export type Slot = SoakDone & {
  side: 'Signet' | 'bare'
  /** Minutes since the first slot began. */
  at: number
  samples: Sample[]
}

export const bars = { ofBare: 3, leastMs: 50, megabytesAMinute: 0.5, others: 0.1, leftOut: 3 }

const tailOf = ({ took }: Slot): number => percentile(took.map(([, ms]) => ms))
const percentile = (values: number[]) => quantile(values, 0.99)
const meanOf = (samples: Sample[], of: (sample: Sample) => number): number =>
  samples.reduce((sum, each) => sum + of(each), 0) / samples.length
const mostOf = (samples: Sample[], of: (sample: Sample) => number): number => Math.max(...samples.map(of))
const leastOf = (samples: Sample[], of: (sample: Sample) => number): number =>
  Math.min(...samples.map(of).filter((value) => !Number.isNaN(value)))
const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1)
const othersOf = ({ samples }: Slot) => meanOf(samples, ({ others }) => others)
const isMarked = (slot: Slot) => othersOf(slot) > bars.others

/** Bytes of log a second. */
function logRate(samples: Sample[]): number {
  const [first, last] = [samples[0], samples.at(-1)]
  return first && last ? ((last.logBytes - first.logBytes) / (last.at - first.at)) * 1_000 : Number.NaN
}

const columns: [title: string, of: (slot: Slot) => string][] = [
  ['', ({ side }) => side],
  ['operations/s', ({ operations, seconds }) => whole(operations / seconds)],
  [
    'median',
    ({ took }) =>
      milliseconds(
        quantile(
          took.map(([, ms]) => ms),
          0.5,
        ),
      ),
  ],
  ['99th percentile', (slot) => milliseconds(tailOf(slot))],
  ['errors', ({ errors }) => `${errors.length}`],
  ['CPU of others', (slot) => `${percent(othersOf(slot))}${isMarked(slot) ? ' (!)' : ''}`],
  ['CPU pressure', ({ samples }) => percent(meanOf(samples, ({ pressure }) => pressure))],
  ['runnable', ({ samples }) => meanOf(samples, ({ runnable }) => runnable).toFixed(1)],
  ['event loop, at worst', ({ samples }) => milliseconds(mostOf(samples, ({ loopMs }) => loopMs))],
  ['garbage, ms/s', ({ samples }) => meanOf(samples, ({ garbageMs }) => garbageMs).toFixed(1)],
  ['log, MB/s', ({ samples }) => megabytes(logRate(samples))],
  ['dead rows', ({ samples }) => whole(mostOf(samples, ({ dead }) => dead))],
  ['least MB', ({ samples }) => megabytes(leastOf(samples, ({ resident }) => resident))],
  ['heap, least MB', ({ samples }) => megabytes(leastOf(samples, ({ heap }) => heap))],
]

export const headOfSlots = columns.map(([title]) => title)
export const rowOfSlot = (slot: Slot): string[] => columns.map(([, of]) => of(slot))

export const tableOfSlots = (slots: Slot[]): string =>
  table([['slot', ...headOfSlots], ...slots.map((slot, n) => [`${n + 1}`, ...rowOfSlot(slot)])])

/** The most that a slot of Signet's may have. */
export function limitOf(slots: Slot[]): number {
  const bare = slots.filter((slot) => slot.side === 'bare' && !isMarked(slot))
  const all = bare.length > 0 ? bare : slots.filter(({ side }) => side === 'bare')
  return Math.max(bars.ofBare * figureOf(all.map(tailOf)).median, bars.leastMs)
}

/** Of those that are over the limit and marked, the worst; no more than may be. */
const leftOutOf = (slots: Slot[], limit: number): Slot[] =>
  slots
    .filter((slot) => slot.side === 'Signet' && isMarked(slot) && tailOf(slot) > limit)
    .sort((one, other) => tailOf(other) - tailOf(one))
    .slice(0, bars.leftOut)

/** The samples of the seconds in which something took longer than the limit. */
function slowSamples({ took, samples }: Slot, limit: number): Sample[] {
  const slow = took.filter(([, ms]) => ms > limit)
  return samples.filter(({ at }) => slow.some(([dueAt, ms]) => dueAt < at && dueAt + ms > at - 1_000))
}

/** What its slow seconds had more of than the good slots: the sessions that waited, and what the machine and the process say. */
function explain(slot: Slot, n: number, limit: number, good: Sample[]): string {
  const slow = slowSamples(slot, limit)
  const kinds = [...new Set(slow.flatMap(({ waits }) => Object.keys(waits)))]
  const more = kinds
    .map((kind) => {
      const [here, there] = [slow, good].map((some) => meanOf(some, ({ waits }) => waits[kind] ?? 0)) as [
        number,
        number,
      ]
      return { kind, here, there }
    })
    .filter(({ here, there }) => here > there)
    .sort((one, other) => other.here - other.there - (one.here - one.there))
    .slice(0, 4)
    .map(({ kind, here, there }) => `${kind} ${here.toFixed(1)} (${there.toFixed(1)})`)
  const figure = (title: string, of: (sample: Sample) => number, format: (value: number) => string) =>
    `${title} ${format(meanOf(slow, of))} (${format(meanOf(good, of))})`
  const machine = [
    figure(
      'runnable',
      ({ runnable }) => runnable,
      (value) => value.toFixed(1),
    ),
    figure('CPU pressure', ({ pressure }) => pressure, percent),
    figure('CPU of others', ({ others }) => others, percent),
    figure('event loop late', ({ loopMs }) => loopMs, milliseconds),
    figure('garbage', ({ garbageMs }) => garbageMs, milliseconds),
    figure('dead rows', ({ dead }) => dead, whole),
  ]
  return `Slot ${n + 1}, ${milliseconds(tailOf(slot))}, ${slow.length} slow s of ${slot.samples.length}: ${more.length > 0 ? `more sessions ${more.join(', ')}` : 'no kind of session more'}; ${machine.join(', ')}; log ${megabytes(logRate(slot.samples))} MB/s.`
}

/** For each slot of Signet's over the limit, what it waited for. Beside it, in brackets, the good slots; where there is none, the best one. */
export function explainSlow(slots: Slot[], limit: number): string {
  const signet = slots.filter(({ side }) => side === 'Signet')
  const slow = signet.filter((slot) => tailOf(slot) > limit)
  const best = signet.toSorted((one, other) => tailOf(one) - tailOf(other)).slice(0, 1)
  const good = signet.filter((slot) => !slow.includes(slot))
  const beside = good.length > 0 ? good : best
  if (slow.length === 0) return 'No slot of Signet was slow.'
  return [
    `What slow slots waited for, by the seconds in which an operation took over ${milliseconds(limit)} (in brackets: ${good.length > 0 ? 'the good slots' : `none was good; slot ${slots.indexOf(best[0] as Slot) + 1}, the best`}):`,
    ...slow
      .filter((slot) => !beside.includes(slot))
      .map((slot) =>
        explain(
          slot,
          slots.indexOf(slot),
          limit,
          beside.flatMap(({ samples }) => samples),
        ),
      ),
  ].join('\n')
}

/** Bytes a minute, of a straight line through the points: the least squares. */
function slopeOf(points: [minute: number, bytes: number][]): number {
  const mean = (of: 0 | 1) => points.reduce((sum, point) => sum + point[of], 0) / points.length
  const [middle, level] = [mean(0), mean(1)]
  const over = points.reduce((sum, [minute, bytes]) => sum + (minute - middle) * (bytes - level), 0)
  return over / points.reduce((sum, [minute]) => sum + (minute - middle) ** 2, 0)
}

/** Of the least in each of Signet's slots, which is that after a garbage collection. */
function judgeMemory(slots: Slot[], warmUpMinutes: number): string {
  const settled = slots.filter(({ side, at }) => side === 'Signet' && at >= warmUpMinutes)
  const slope = (of: (sample: Sample) => number) =>
    slopeOf(settled.map(({ at, samples }): [number, number] => [at, leastOf(samples, of)])) / 1e6
  const [resident, heap] = [slope((sample) => sample.resident), slope((sample) => sample.heap)]
  return `Memory after ${warmUpMinutes} min grows by ${resident.toFixed(2)} MB a minute, its heap by ${heap.toFixed(2)}; the target is under ${bars.megabytesAMinute}: \
${verdict(resident < bars.megabytesAMinute && heap < bars.megabytesAMinute)}.`
}

function judgeTails(slots: Slot[], limit: number): string {
  const leftOut = leftOutOf(slots, limit)
  const counted = slots.filter((slot) => slot.side === 'Signet' && !leftOut.includes(slot))
  const over = counted.filter((slot) => tailOf(slot) > limit)
  const numbers = (some: Slot[]) => some.map((slot) => slots.indexOf(slot) + 1).join(', ')
  return `The 99th percentile of Signet's slots is ${milliseconds(Math.max(...counted.map(tailOf)))} at most, ${(Math.max(...counted.map(tailOf)) / figureOf(slots.filter(({ side }) => side === 'bare').map(tailOf)).median).toFixed(2)} times the median of the bare ones; \
the target is ${milliseconds(limit)} at most, ${bars.ofBare} times that median or ${bars.leastMs} ms: ${verdict(over.length === 0)}${over.length ? ` in slots ${numbers(over)}` : ''}. \
${leftOut.length === 0 ? 'No slot is left out.' : `Left out, because others had over ${percent(bars.others)} of the processors: slots ${numbers(leftOut)}.`}`
}

export function judge(slots: Slot[], lost: number, warmUpMinutes: number): string {
  const errorsOf = (its: Slot['side']) => slots.filter(({ side }) => side === its).flatMap(({ errors }) => errors)
  const [errors, bare] = [errorsOf('Signet'), errorsOf('bare')]
  const first = (some: string[]) => (some[0] ? ` The first: ${some[0]}` : '')
  const failures = `${errors.length} errors and ${lost} deliveries that did not succeed; the target is 0: ${verdict(errors.length + lost === 0)}.${first(errors)}`
  const ofBare = bare.length > 0 ? [`The bare mix had ${bare.length} errors.${first(bare)}`] : []
  return [judgeTails(slots, limitOf(slots)), judgeMemory(slots, warmUpMinutes), failures, ...ofBare].join('\n')
}
