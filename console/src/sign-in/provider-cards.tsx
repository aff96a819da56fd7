import { ProviderMark } from '../providers/provider-mark.tsx'
import { providerNames, providers } from '../providers/providers.ts'
import { Link } from '../router/index.ts'
import styles from './provider-cards.module.css'

/** The providers, each leading to a page of its own. */
export const ProviderCards = ({ pathOf }: { pathOf: (provider: string) => string }) => (
  <ul className={styles.cards}>
    {providerNames.map((provider) => (
      <li key={provider}>
        <Link to={pathOf(provider)} className={styles.card}>
          <ProviderMark provider={provider} size={36} />
          <span>
            <strong>{providers[provider].name}</strong>
            <code>{provider}</code>
          </span>
        </Link>
      </li>
    ))}
  </ul>
)
