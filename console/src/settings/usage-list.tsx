import type { Usage } from '@signet/management'
import { Stack } from '../design/page.tsx'
import { Progress } from '../design/progress.tsx'
import { Properties } from '../design/properties.tsx'

type UsageListProps = { tier: string; usage: Usage }

/** What is used of each limit; without a limit only how much there is. */
export function UsageList({ tier, usage }: UsageListProps) {
  const parts = [
    ['Persons', usage.persons],
    ['Groups', usage.groups],
    ['Webhooks', usage.webhooks],
  ] as const
  return (
    <Stack>
      <Properties items={[['Pricing tier', tier]]} />
      {parts.map(([name, { used, limit }]) => (
        <Use key={name} name={name} used={used} limit={limit} />
      ))}
    </Stack>
  )
}

function Use({ name, used, limit }: { name: string; used: number; limit: number | undefined }) {
  if (limit === undefined) return <Properties items={[[name, `${used.toLocaleString()}, no limit`]]} />
  return <Progress label={`${name}: ${used.toLocaleString()} of ${limit.toLocaleString()}`} value={used} max={limit} />
}
