import { type KeyboardEvent, memo, useState } from 'react'
import { Link } from '../router/index.ts'
import styles from './chart.module.css'
import { type ChartData, type Series, spanOf, stepOf, ticksOf, topOf } from './chart-data.ts'
import { Table } from './table.tsx'

type ChartProps = ChartData & { title: string }

/**
 * Stacked bars over time, each of which leads to the list of what it counts, and the table behind them. They are elements of the page:
 * themes, forced colours, links and the keyboard are those of all else.
 */
export function Chart({ title, times, series }: ChartProps) {
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.legend}>
        <span className={styles.title}>{title}</span>
        <span className={styles.keys}>
          {series.map(({ name, tone }) => (
            <span key={name} className={styles.key}>
              <span className={`${styles.swatch} ${styles[tone]}`} />
              {name}
            </span>
          ))}
        </span>
      </figcaption>
      <Plot title={title} times={times} series={series} />
      <details className={styles.behind}>
        <summary>Show as a table</summary>
        <ChartTable title={title} times={times} series={series} />
      </details>
    </figure>
  )
}

/** With a bar under the pointer, or with the focus, it says what that is. */
function Plot({ title, ...data }: ChartProps) {
  const [told, setTold] = useState('')
  const isLinked = data.series.some(({ to }) => to)
  const tell = ({ target }: { target: EventTarget }) =>
    setTold((target instanceof HTMLElement && target.closest('a')?.getAttribute('aria-label')) || '')
  return (
    <fieldset
      className={styles.plot}
      aria-label={isLinked ? `${title}: arrow keys lead from bar to bar` : `${title}: the table below has the values`}
      onKeyDown={moveAmongBars}
      onPointerOver={tell}
      onPointerLeave={() => setTold('')}
      onFocus={tell}
      onBlur={() => setTold('')}
    >
      <Scale top={topOf(data)} />
      <Bars {...data} />
      <TimeAxis times={data.times} />
      <p className={styles.told} aria-hidden>
        {told}
      </p>
    </fieldset>
  )
}

/** Large numbers, such as 500K, leave the room to the bars. */
const scaleWords = new Intl.NumberFormat(undefined, { notation: 'compact' })

const Scale = ({ top }: { top: number }) => (
  <div className={styles.scale} aria-hidden>
    {[top, top / 2, 0].map((value) => (
      <span key={value}>{scaleWords.format(value)}</span>
    ))}
  </div>
)

/** One of the bars is in the order of Tab, the newest; arrows lead to the others. */
const Bars = memo(({ times, series }: ChartData) => {
  const top = topOf({ times, series })
  const newest = times.findLastIndex((_, place) => series.some(({ values, to }) => to && values[place]))
  const first = series.findIndex(({ values, to }) => to && values[newest])
  return (
    <div className={styles.bars}>
      {times.map((time, place) => (
        <div key={time} className={styles.column}>
          {series.map((each, row) => (
            <Bar key={each.name} {...{ times, place, series: each, top }} isFirst={place === newest && row === first} />
          ))}
        </div>
      ))}
    </div>
  )
})

type BarProps = { times: readonly number[]; place: number; series: Series; top: number; isFirst: boolean }

function Bar({ times, place, series: { name, tone, values, to }, top, isFirst }: BarProps) {
  const value = values[place] ?? 0
  if (value === 0) return null
  const look = { className: `${styles.bar} ${styles[tone]}`, style: { height: `${(100 * value) / top}%` } }
  if (!to) return <span {...look} />
  return (
    <Link
      {...look}
      to={to(spanOf({ times }, place))}
      tabIndex={isFirst ? 0 : -1}
      aria-label={`${wordsOf(times, place)}: ${value.toLocaleString()} ${name}`}
    />
  )
}

/** Left and right to the next column that has any, up and down within one. */
function moveAmongBars(event: KeyboardEvent<HTMLElement>) {
  const bars = [...event.currentTarget.querySelectorAll<HTMLElement>(`a.${styles.bar}`)]
  const current = bars.indexOf(document.activeElement as HTMLElement)
  const next =
    current < 0 || event.ctrlKey || event.metaKey || event.altKey ? undefined : neighbour(bars, current, event.key)
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}

function neighbour(bars: HTMLElement[], current: number, key: string): HTMLElement | undefined {
  const column = bars[current]?.parentElement
  const others = (isAfter: boolean) =>
    bars.filter((bar, place) => bar.parentElement !== column && place > current === isAfter)
  const within = (bar: HTMLElement | undefined) => (bar?.parentElement === column ? bar : bars[current])
  switch (key) {
    case 'ArrowRight':
      return others(true).at(0) ?? bars[current]
    case 'ArrowLeft':
      return others(false).at(-1) ?? bars[current]
    case 'ArrowUp':
      return within(bars[current + 1])
    case 'ArrowDown':
      return within(bars[current - 1])
    case 'Home':
      return bars.at(0)
    case 'End':
      return bars.at(-1)
    default:
      return undefined
  }
}

const dayInSeconds = 86_400

/** Values of a whole day are of days in UTC. */
const zoneOf = (times: readonly number[]) => (stepOf(times) >= dayInSeconds ? { timeZone: 'UTC' } : {})

const offsetOf = (seconds: number) => -60 * new Date(seconds * 1_000).getTimezoneOffset()

function TimeAxis({ times }: { times: readonly number[] }) {
  const isOfDays = stepOf(times) >= dayInSeconds
  const ticks = ticksOf(times, isOfDays ? () => 0 : offsetOf)
  const [one = 0, other = one + 1] = ticks.map((place) => times[place] ?? 0)
  const words = new Intl.DateTimeFormat(
    undefined,
    other - one >= dayInSeconds * 0.9
      ? { day: 'numeric', month: 'short', ...zoneOf(times) }
      : { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  )
  return (
    <div className={styles.axis} aria-hidden>
      {ticks.map((place) => (
        <span key={place} style={{ left: `${(100 * place) / times.length}%` }}>
          {words.format((times[place] ?? 0) * 1_000)}
        </span>
      ))}
    </div>
  )
}

/** When a value begins and ends. */
function wordsOf(times: readonly number[], place: number): string {
  const { since, until } = spanOf({ times }, place)
  if (stepOf(times) >= dayInSeconds)
    return new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(since))
  return new Intl.DateTimeFormat(undefined, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatRange(new Date(since), new Date(until))
}

/** Only the times at which anything happened, the newest first. */
function ChartTable({ title, times, series }: ChartProps) {
  const places = times.map((_, place) => place).filter((place) => series.some(({ values }) => values[place]))
  const columns = series.map(({ name, values, to }) => ({
    head: name,
    align: 'end' as const,
    cell: (place: number) => {
      const count = (values[place] ?? 0).toLocaleString()
      return to && values[place] ? <Link to={to(spanOf({ times }, place))}>{count}</Link> : count
    },
  }))
  return (
    <Table
      caption={title}
      columns={[{ head: 'When', cell: (place) => wordsOf(times, place) }, ...columns]}
      items={places.reverse()}
      keyOf={String}
      empty={<p className={styles.none}>Nothing happened in this time.</p>}
    />
  )
}
