import { Button } from '../design/button.tsx'
import { ShortText } from '../design/text.tsx'
import styles from './continue-with.module.css'
import { ProviderMark } from './provider-mark.tsx'
import { asProvider, providerName } from './providers.ts'

/** By which somebody may sign in: the label says which of several at one provider. */
export type Way = { oauth_client_id: string; label: string; provider: string }

/** What a button calls it: a credential without a label is called like its provider. */
export const labelOf = ({ label, provider }: Way) => label || providerName(provider)

type ContinueWithProps = {
  ways: Way[]
  /** Its browser leaves the page; until then the button is busy. */
  onChoose: (way: Way) => void
  /** The way that was chosen and is under way. */
  chosen?: Way | undefined
}

/** A button for each credential, in their order. */
export const ContinueWith = ({ ways, onChoose, chosen }: ContinueWithProps) => (
  <ul className={styles.ways}>
    {ways.map((way) => {
      const isChosen = chosen?.oauth_client_id === way.oauth_client_id
      return (
        <li key={way.oauth_client_id}>
          <Button onClick={() => onChoose(way)} busy={isChosen} disabled={chosen !== undefined && !isChosen}>
            {!isChosen && <Mark provider={way.provider} />}
            <span>
              Continue with <ShortText>{labelOf(way)}</ShortText>
            </span>
          </Button>
        </li>
      )
    })}
  </ul>
)

function Mark({ provider }: { provider: string }) {
  const known = asProvider(provider)
  return known && <ProviderMark provider={known} size={20} />
}
