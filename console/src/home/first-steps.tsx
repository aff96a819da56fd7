import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Notice } from '../design/state.tsx'
import { Link } from '../router/index.ts'
import { useMay } from '../session/session.ts'
import { type Progress, readProgress, steps } from './progress.ts'
import { StepBody, titles } from './step-body.tsx'
import { StepList } from './step-list.tsx'

const refreshMs = 3_000

/** The way to the first delivery, for an organization that has had none. It ticks itself off, and goes when it is done. */
export function FirstSteps() {
  const [mayWebhooks, mayDeliveries, mayEvents] = [
    useMay('webhooks:write'),
    useMay('deliveries:read'),
    useMay('events:read'),
  ]
  const [wasOpen, setWasOpen] = useState(false)
  const { data } = useQuery({
    queryKey: ['listWebhooks', 'progress'],
    queryFn: async ({ signal }) => {
      const progress = await readProgress(signal)
      if (!progress.done.delivery) setWasOpen(true)
      return progress
    },
    enabled: mayWebhooks && mayDeliveries && mayEvents,
    refetchInterval: ({ state }) => (state.data?.done.delivery ? false : refreshMs),
  })
  if (!data) return null
  if (!data.done.delivery) return <Steps progress={data} />
  if (!wasOpen) return null
  return (
    <Notice tone="good" title="Done: your first webhook has received an event, and answered with success.">
      <Link to="/deliveries">Look at its deliveries</Link>
    </Notice>
  )
}

function Steps({ progress }: { progress: Progress }) {
  const listed = steps.map((step) => ({
    title: titles[step],
    isDone: progress.done[step],
    body: <StepBody step={step} webhookId={progress.webhookId} />,
  }))
  return <StepList title="To your first delivery" steps={listed} />
}
