import type { ReactNode } from 'react'
import { Icon } from '../design/icon.tsx'
import styles from './step-list.module.css'

/** `body`: what there is to do, shown where it is the next step. */
export type ListedStep = { title: string; isDone: boolean; body: ReactNode }

/** Steps that tick themselves off. The first that is not done is open. */
export function StepList({ title, steps }: { title: string; steps: readonly ListedStep[] }) {
  const next = steps.find(({ isDone }) => !isDone)
  const doneCount = steps.filter(({ isDone }) => isDone).length
  return (
    <details className={styles.steps} open>
      <summary>
        <h2>{title}</h2>
        <span className={styles.count}>
          {doneCount} of {steps.length} done
        </span>
      </summary>
      <ol>
        {steps.map((step) => (
          <StepLine key={step.title} step={step} isNext={step === next} />
        ))}
      </ol>
    </details>
  )
}

function StepLine({ step: { title, isDone, body }, isNext }: { step: ListedStep; isNext: boolean }) {
  return (
    <li className={isDone ? styles.done : undefined}>
      <span className={styles.tick}>{isDone && <Icon name="check" size={14} />}</span>
      <div className={styles.body}>
        <h3 className={styles.title}>
          {title}
          {isDone && <span className="visually-hidden"> (done)</span>}
        </h3>
        {isNext && body}
      </div>
    </li>
  )
}
