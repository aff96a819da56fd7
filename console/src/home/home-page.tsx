import { useQuery } from '@tanstack/react-query'
import { Page } from '../design/page.tsx'
import { Loaded } from '../design/state.tsx'
import { signet } from '../service/signet.ts'
import { AdministratorSteps } from './administrator-steps.tsx'
import { Figures } from './figures.tsx'
import { FirstSteps } from './first-steps.tsx'
import { LiveEvents } from './live-events.tsx'
import { NeedsAttention } from './needs-attention.tsx'
import { SpanSwitch, useSpan } from './span.tsx'
import { StatisticsCharts } from './statistics-charts.tsx'

const refreshMs = 30_000

export function Component() {
  const span = useSpan()
  const statistics = useQuery({
    queryKey: ['getStatistics', span.name],
    queryFn: ({ signal }) => signet.getStatistics({ query: { since: span.since(), step: span.step }, signal }),
    refetchInterval: refreshMs,
  })
  return (
    <Page title="Home" lead={`What happened in the ${span.words}.`} actions={<SpanSwitch />}>
      <NeedsAttention />
      <FirstSteps />
      <AdministratorSteps />
      <Loaded query={statistics} lines={8}>
        {({ result }) => (
          <>
            <Figures statistics={result} />
            <StatisticsCharts statistics={result} each={span.each} />
          </>
        )}
      </Loaded>
      <LiveEvents />
    </Page>
  )
}
