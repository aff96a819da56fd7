import type { ReactNode } from 'react'
import { Notice } from '../design/state.tsx'
import styles from './provider-steps.module.css'
import type { Provider } from './providers.ts'
import { providers } from './providers.ts'

/** How to get a client at a provider. */
export function ProviderSteps({ provider }: { provider: Provider }) {
  const { steps, note } = providers[provider]
  return (
    <div className={styles.all}>
      <Steps steps={steps} />
      {note && <Notice>{note}</Notice>}
    </div>
  )
}

/** What to do somewhere else, in order. */
export const Steps = ({ steps }: { steps: readonly ReactNode[] }) => (
  <ol className={styles.steps}>
    {steps.map((step, place) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the steps of one list do not change
      <li key={place}>{step}</li>
    ))}
  </ol>
)
