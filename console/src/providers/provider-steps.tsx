import { Notice } from '../design/state.tsx'
import styles from './provider-steps.module.css'
import type { Provider } from './providers.ts'
import { providers } from './providers.ts'

/** How to get a client at a provider. */
export function ProviderSteps({ provider }: { provider: Provider }) {
  const { steps, note } = providers[provider]
  return (
    <div className={styles.all}>
      <ol className={styles.steps}>
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      {note && <Notice>{note}</Notice>}
    </div>
  )
}
