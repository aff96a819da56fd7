import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { Icon } from '../design/icon.tsx'
import { Notice } from '../design/state.tsx'
import { useMay } from '../session/session.ts'
import styles from './first-steps.module.css'
import { type Progress, readProgress, type Step, steps } from './progress.ts'
import { StepBody, titles } from './step-body.tsx'

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
  const next = steps.find((step) => !progress.done[step])
  const doneCount = steps.filter((step) => progress.done[step]).length
  return (
    <details className={styles.steps} open>
      <summary>
        <h2>To your first delivery</h2>
        <span className={styles.count}>
          {doneCount} of {steps.length} done
        </span>
      </summary>
      <ol>
        {steps.map((step) => (
          <StepLine key={step} step={step} progress={progress} isNext={step === next} />
        ))}
      </ol>
    </details>
  )
}

type StepLineProps = { step: Step; progress: Progress; isNext: boolean }

function StepLine({ step, progress, isNext }: StepLineProps) {
  const isDone = progress.done[step]
  return (
    <li className={isDone ? styles.done : undefined}>
      <span className={styles.tick}>{isDone && <Icon name="check" size={14} />}</span>
      <div className={styles.body}>
        <h3 className={styles.title}>
          {titles[step]}
          {isDone && <span className="visually-hidden"> (done)</span>}
        </h3>
        {isNext && <StepBody step={step} webhookId={progress.webhookId} />}
      </div>
    </li>
  )
}
