import type { Usage } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { Panel } from '../design/page.tsx'
import { Loaded } from '../design/state.tsx'
import { signet } from '../service/signet.ts'
import { UsageList } from './usage-list.tsx'

/** How much of its pricing tier the organization uses. */
export function UsagePanel() {
  const query = useQuery({
    queryKey: ['getUsage'],
    queryFn: async ({ signal }) => {
      const [tier, usage] = await Promise.all([signet.getCurrentTier({ signal }), signet.getUsage({ signal })])
      return { tier: tier.result.pricing_tier, usage: usage.result as Usage }
    },
  })
  return (
    <Panel title="Usage">
      <Loaded query={query} lines={3}>
        {({ tier, usage }) => <UsageList tier={tier} usage={usage} />}
      </Loaded>
    </Panel>
  )
}
