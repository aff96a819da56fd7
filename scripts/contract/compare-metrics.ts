export type Metric = { type: string; labels: string[] }

/** What of the kept metrics no longer holds. A further label breaks as well: where there was one series, there are several. */
export const compareMetrics = (kept: Record<string, Metric>, now: Record<string, Metric>): string[] =>
  Object.entries(kept).flatMap(([name, metric]) => {
    const found = now[name]
    const problems = found ? problemsOf(metric, found) : ['is gone']
    return problems.map((problem) => `${name} ${problem}: breaks dashboards and alerts`)
  })

const problemsOf = (kept: Metric, now: Metric) => [
  ...(kept.type === now.type ? [] : [`is a ${now.type} in place of a ${kept.type}`]),
  ...(labelsOf(kept) === labelsOf(now) ? [] : [`has the labels ${labelsOf(now)} in place of ${labelsOf(kept)}`]),
]

const labelsOf = ({ labels }: Metric) => labels.toSorted().join(', ') || 'none'
