import { describeMetrics } from '../../server/src/operator/telemetry/metrics.ts'
import { generatedFrom, linked } from './text.ts'

export const metricsPage = {
  path: 'docs/reference/metrics.md',
  render: () => [head, ...describeMetrics().map(metricText)].join('\n'),
}

const head = `# Metrics

${generatedFrom('the registry of `server/src/operator/telemetry`')}

What \`GET /metrics\` shows where [\`SIGNET_METRICS_PORT\`](settings.md#signet_metrics_port) is set. How to read them, with a dashboard and alerts:
[observability](../operate/observability.md). Besides, the library for Prometheus gives \`process_…\` and \`nodejs_…\`: memory, CPU, event loop and
garbage collection of the process. A histogram has the series \`…_bucket\`, \`…_sum\` and \`…_count\`.
`

type Metric = ReturnType<typeof describeMetrics>[number]

const metricText = ({ name, type, labels, help }: Metric) =>
  `## ${name}\n\n${typeText(type, labels)}. ${linked(help)}\n`

function typeText(type: string, labels: string[]): string {
  const kind = type.charAt(0).toUpperCase() + type.slice(1)
  return labels.length === 0 ? kind : `${kind} by ${labels.map((label) => `\`${label}\``).join(', ')}`
}
