import { Link } from '../router/index.ts'
import styles from './link-switch.module.css'

type LinkSwitchProps = {
  label: string
  /** The name of each, with what it is called. */
  choices: readonly (readonly [name: string, words: string])[]
  chosen: string
  /** The query of the address that a choice leads to. */
  addressOf: (name: string) => URLSearchParams
}

/** One of a few choices, which the address has: each is one press away. */
export const LinkSwitch = ({ label, choices, chosen, addressOf }: LinkSwitchProps) => (
  <nav aria-label={label} className={styles.switch}>
    {choices.map(([name, words]) => (
      <Link
        key={name}
        to={{ search: addressOf(name).toString() }}
        className={styles.choice}
        aria-current={name === chosen ? 'true' : undefined}
        preventScrollReset
        replace
      >
        {words}
      </Link>
    ))}
  </nav>
)
