import { useEffect, useRef } from 'react'
import './language.ts'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import styles from './chart.module.css'
import type { ChartData, Series } from './chart-data.ts'

const height = 180
const variables: Record<Series['tone'], string> = {
  accent: '--accent',
  good: '--good',
  warn: '--warn',
  bad: '--bad',
  soft: '--line-strong',
}

type PlotProps = ChartData & { title: string; kind: 'line' | 'bars' }

/** Draws on a canvas, which takes its colours from the theme as it is then. */
export default function Plot({ title, kind, times, series }: PlotProps) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const target = ref.current
    if (!target) return undefined
    let plot = draw(target, { kind, times, series })
    const redraw = () => {
      plot.destroy()
      plot = draw(target, { kind, times, series })
    }
    const sizes = new ResizeObserver(() => plot.setSize({ width: target.clientWidth, height }))
    sizes.observe(target)
    const themes = new MutationObserver(redraw)
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    const system = matchMedia('(prefers-color-scheme: dark)')
    system.addEventListener('change', redraw)
    return () => {
      sizes.disconnect()
      themes.disconnect()
      system.removeEventListener('change', redraw)
      plot.destroy()
    }
  }, [kind, times, series])
  return (
    <div ref={ref} className={styles.plot} role="img" aria-label={`Chart: ${title}. The table below has its values.`} />
  )
}

function draw(target: HTMLElement, { kind, times, series }: Omit<PlotProps, 'title'>): UPlot {
  const colour = colourOf(target)
  const axis = {
    stroke: colour('--text-soft'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: '12px system-ui, sans-serif',
  }
  const bars = UPlot.paths.bars?.({ size: [0.7, 40] })
  const options: UPlot.Options = {
    width: target.clientWidth,
    height,
    legend: { show: false },
    cursor: { points: { show: false }, drag: { x: false, y: false } },
    scales: { y: { range: (_, __, max) => [0, Math.max(max, 1)] } },
    axes: [
      axis,
      { ...axis, size: 46, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000] },
    ],
    series: [
      {},
      ...series.map(({ name, tone }) => ({
        label: name,
        stroke: colour(variables[tone]),
        width: kind === 'bars' ? 0 : 1.5,
        points: { show: false },
        ...(kind === 'bars' && { fill: colour(variables[tone]), ...(bars && { paths: bars }) }),
      })),
    ],
  }
  const data: UPlot.AlignedData = [[...times], ...series.map(({ values }) => [...values])]
  return new UPlot(options, data, target)
}

/** A canvas does not know `light-dark()`: a hidden element computes it. */
function colourOf(target: HTMLElement) {
  return (variable: string) => {
    target.style.color = `var(${variable})`
    return getComputedStyle(target).color
  }
}
