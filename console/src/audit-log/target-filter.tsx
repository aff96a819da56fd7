import { Button } from '../design/button.tsx'
import { withMember } from '../design/pages.tsx'
import { ShortText } from '../design/text.tsx'
import { useSearchParams } from '../router/index.ts'
import styles from './entry.module.css'

/** What the list is kept to, by a click on it: its name where an entry says it. */
export function TargetFilter({ target, name }: { target: string; name: string | undefined }) {
  const [, setAddress] = useSearchParams()
  const showAll = () =>
    setAddress((address) => withMember(withMember(address, 'target', undefined), 'after', undefined))
  return (
    <p className={styles.chosen}>
      <span>
        Changes of <ShortText>{name ?? target}</ShortText>
      </span>
      <Button size="small" tone="quiet" icon="cross" onClick={showAll}>
        Show all
      </Button>
    </p>
  )
}
