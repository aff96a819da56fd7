import { useQuery } from '@tanstack/react-query'
import { useMay } from '../session/session.ts'
import { waitingQuery } from './webhook-queries.ts'

type HeldNowProps = { webhookId: string; status: 'held' | 'pending' }

/** How many of its deliveries wait now, by what they are called. */
export function HeldNow({ webhookId, status }: HeldNowProps) {
  const { data, isError } = useQuery({ ...waitingQuery(webhookId, status), enabled: useMay('deliveries:read') })
  if (isError || !data) return <p>How many deliveries are {status} is not known.</p>
  const count = `${data.isMore ? 'More than ' : ''}${data.count.toLocaleString()}`
  const are = data.count === 1 ? 'delivery is' : 'deliveries are'
  return <p>{data.count === 0 ? `No deliveries are ${status}.` : `${count} ${are} ${status}.`}</p>
}
