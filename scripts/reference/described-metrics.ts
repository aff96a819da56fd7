import { Registry } from 'prom-client'
import { createRecorders } from '../../server/src/operator/telemetry/metrics.ts'
import { createWatches } from '../../server/src/operator/telemetry/watches.ts'

export type DescribedMetric = { name: string; type: string; labels: string[]; help: string }

/** Every metric of Signet's own, from a registry that nobody reads: what is watched stays unread. */
export function describeMetrics(): DescribedMetric[] {
  const registry = new Registry()
  createRecorders(registry)
  for (const watch of Object.values(createWatches(registry))) watch({} as never)
  return (registry.getMetricsAsArray() as unknown as Registered[])
    .map(({ name, type, labelNames, help }) => ({ name, type, labels: labelNames, help }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** The library's type leaves the labels out. */
type Registered = { name: string; type: string; labelNames: string[]; help: string }
