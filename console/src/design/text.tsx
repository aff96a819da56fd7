import { useState } from 'react'
import { piecesOf } from './marked.ts'
import styles from './text.module.css'

const maxShown = 300

/** What somebody else wrote: shown as text, apart from the direction of what stands around it, and cut where it is long. */
export function Text({ children }: { children: string }) {
  const [isWhole, setWhole] = useState(false)
  const isLong = children.length > maxShown
  return (
    <bdi className={styles.text}>
      <Marked>{isLong && !isWhole ? `${children.slice(0, maxShown)}…` : children}</Marked>
      {isLong && (
        <button type="button" className={styles.more} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all ${children.length.toLocaleString()} characters`}
        </button>
      )}
    </bdi>
  )
}

/** The same within a link or a heading, where nothing can be pressed. */
export const ShortText = ({ children }: { children: string }) => (
  <bdi className={styles.text}>
    <Marked>{children.length > 120 ? `${children.slice(0, 120)}…` : children}</Marked>
  </bdi>
)

/** The same text, with a mark for each character that would not be seen. */
export const Marked = ({ children }: { children: string }) =>
  piecesOf(children).map(({ text, isMark }, place) =>
    isMark ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text have no other name
      <span key={place} className={styles.mark} title={`A character that is not seen: ${text}`}>
        {text}
      </span>
    ) : (
      text
    ),
  )

/** Less important than what stands around it. */
export const Soft = ({ children }: { children: React.ReactNode }) => <span className={styles.soft}>{children}</span>
