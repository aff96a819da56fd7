import { Badge } from '../design/badge.tsx'
import { Marked, Soft } from '../design/text.tsx'
import styles from './outcome.module.css'
import { sayOutcome } from './outcome-words.ts'

/** What came of something, by its code. */
export function Outcome({ of }: { of: string }) {
  const { word, tone } = sayOutcome(of)
  return <Badge tone={tone}>{word}</Badge>
}

/** Why, in words, with the code beside it that logs and the interface have. */
export const Why = ({ code, words }: { code: string; words: string }) => (
  <span className={styles.why}>
    {words !== code && words}{' '}
    <Soft>
      <code className={styles.code}>
        <Marked>{code}</Marked>
      </code>
    </Soft>
  </span>
)
