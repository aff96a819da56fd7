import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { resultOf } from '../attempts/delivery-words.ts'
import { Button } from '../design/button.tsx'
import { Failure, Notice } from '../design/state.tsx'
import { Link } from '../router/index.ts'
import { signet } from '../service/signet.ts'
import { useRefusal } from '../session/session.ts'
import styles from './try-now.module.css'

type TryNowProps = {
  webhookId: string
  /** How many deliveries wait; undefined: not known yet. */
  waiting: number | undefined
  children: (button: ReactNode) => ReactNode
}

/** Around what says that a receiver fails: attempts one waiting delivery at once, and shows what became of it. */
export function TryNow({ webhookId, waiting, children }: TryNowProps) {
  const run = useMutation({
    mutationFn: async () => (await signet.tryDelivery({ path: { webhook_id: webhookId } })).result,
  })
  const refusal = useRefusal('deliveries:write') ?? (waiting === 0 ? 'No delivery waits.' : undefined)
  return (
    <div>
      {children(
        <Button
          icon="refresh"
          size="small"
          busy={run.isPending}
          disabled={refusal !== undefined || waiting === undefined}
          title={refusal}
          onClick={() => run.mutate()}
        >
          Try one now
        </Button>,
      )}
      {run.isError && (
        <div className={styles.outcome}>
          <Failure error={run.error} />
        </div>
      )}
      <div role="status" className={styles.outcome}>
        {run.data && <Outcome key={run.submittedAt} webhookId={webhookId} tried={run.data} />}
      </div>
    </div>
  )
}

const watchMs = 500

type OutcomeProps = { webhookId: string; tried: { delivery_id: string; attempts_count: number } }

/** Of the attempt after those that there were. */
function Outcome({ webhookId, tried: { delivery_id, attempts_count } }: OutcomeProps) {
  const queries = useQueryClient()
  const { data, error } = useQuery({
    queryKey: ['getDelivery', webhookId, delivery_id, attempts_count],
    queryFn: async ({ signal }) =>
      (await signet.getDelivery({ path: { webhook_id: webhookId, delivery_id }, signal })).result,
    refetchInterval: ({ state }) => (state.data?.attempts[attempts_count] ? false : watchMs),
  })
  const attempt = data?.attempts[attempts_count]
  const isKnown = attempt !== undefined
  useEffect(() => {
    // What else is shown of the webhook has changed with it.
    if (isKnown) void queries.invalidateQueries()
  }, [isKnown, queries])
  if (error) return <Failure error={error} />
  const link = <Link to={`/deliveries/${webhookId}/${delivery_id}`}>Look at the delivery</Link>
  if (!attempt) return <Notice title="The attempt is under way.">{link}</Notice>
  if (data?.status === 'succeeded')
    return (
      <Notice tone="good" title={`It succeeded: ${resultOf(data)}.`}>
        {link}
      </Notice>
    )
  return (
    <Notice
      tone="bad"
      title={`It failed again: ${resultOf({ last_status_code: attempt.status_code, last_error: attempt.error })}.`}
    >
      {link}
    </Notice>
  )
}
