import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Code } from './code.tsx'
import { Dialog } from './dialog.tsx'
import { Notice } from './state.tsx'

type ShownOnceProps = {
  title: string
  /** What to do with it, and what if it is lost. */
  words: ReactNode
  /** Each with what it is. */
  texts: readonly (readonly [label: string, text: string])[]
  /** The only way out, such as `I have copied it`. */
  done: string
  children?: ReactNode
  onClose: () => void
}

/** The only time that a secret, a token or a link is seen: it ends by its button alone. */
export const ShownOnce = ({ title, words, texts, done, children, onClose }: ShownOnceProps) => (
  <Dialog
    isOpen
    isModal
    isWide
    title={title}
    onClose={onClose}
    actions={
      <Button tone="primary" onClick={onClose}>
        {done}
      </Button>
    }
  >
    <Notice tone="warn" title="It is shown this once.">
      {words}
    </Notice>
    {texts.map(([label, text]) => (
      <Code key={label} label={label} text={text} wrap />
    ))}
    {children}
  </Dialog>
)
