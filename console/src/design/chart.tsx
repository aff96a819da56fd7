import { lazy, Suspense } from 'react'
import styles from './chart.module.css'
import type { ChartData } from './chart-data.ts'
import { Table } from './table.tsx'

/** uPlot and its drawing: loaded by pages that have a chart. Where that fails the rest of the page, and the table, stay. */
const Plot = lazy(() => import('./plot.tsx').catch(() => ({ default: NoPlot })))
const NoPlot = () => (
  <p className={styles.none}>The browser could not load what draws the chart. The table has its values.</p>
)

type ChartProps = ChartData & { title: string; kind?: 'line' | 'bars' }

/** A chart over time, and the table behind it. */
export function Chart({ title, kind = 'line', times, series }: ChartProps) {
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.legend}>
        <span className={styles.title}>{title}</span>
        {series.map(({ name, tone }) => (
          <span key={name} className={styles.key}>
            <span className={`${styles.swatch} ${styles[tone]}`} />
            {name}
          </span>
        ))}
      </figcaption>
      <Suspense fallback={<div className={styles.plot} />}>
        <Plot title={title} kind={kind} times={times} series={series} />
      </Suspense>
      <details className={styles.behind}>
        <summary>Show as a table</summary>
        <ChartTable title={title} times={times} series={series} />
      </details>
    </figure>
  )
}

const clock = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'short' })

/** Only the times at which anything happened, the newest first. */
function ChartTable({ title, times, series }: ChartData & { title: string }) {
  const places = times.map((_, place) => place).filter((place) => series.some(({ values }) => values[place]))
  const columns = series.map(({ name, values }) => ({
    head: name,
    align: 'end' as const,
    cell: (place: number) => (values[place] ?? 0).toLocaleString(),
  }))
  return (
    <Table
      caption={title}
      columns={[{ head: 'From', cell: (place) => clock.format((times[place] ?? 0) * 1_000) }, ...columns]}
      items={places.reverse()}
      keyOf={String}
      empty={<p className={styles.none}>Nothing happened in this time.</p>}
    />
  )
}
