import { type MouseEvent, useEffect, useState } from 'react'
import { Button } from './button.tsx'
import styles from './copy.module.css'
import { Marked } from './text.tsx'

const shownMs = 1_500

/** Copies a text, and says so. `of`: what it is, such as `webhook ID`. */
export function CopyButton({ text, of, label }: { text: string; of: string; label?: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  useEffect(() => {
    if (state === 'idle') return undefined
    const timer = setTimeout(() => setState('idle'), shownMs)
    return () => clearTimeout(timer)
  }, [state])
  const copy = ({ currentTarget }: MouseEvent<HTMLElement>) =>
    copyText(text, currentTarget).then(
      () => setState('copied'),
      () => setState('failed'),
    )
  return (
    <>
      <Button
        tone={label ? 'plain' : 'quiet'}
        size="small"
        icon={state === 'copied' ? 'check' : 'copy'}
        aria-label={label ? undefined : `Copy ${of}`}
        title={label ? undefined : `Copy ${of}`}
        onClick={copy}
      >
        {label}
      </Button>
      <span className="visually-hidden" role="status">
        {state === 'copied' && `Copied ${of}.`}
        {state === 'failed' && `The browser does not allow copying: select the ${of} instead.`}
      </span>
    </>
  )
}

/** Browsers have no clipboard for plain http, except on this machine. A dialog lets nothing outside of it have the focus. */
async function copyText(text: string, button: HTMLElement) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.className = 'visually-hidden'
  area.value = text
  button.after(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  button.focus()
  if (!isCopied) throw new Error('not copied')
}

/** An identifier or address, with a button that copies it. */
export const Copyable = ({ text, of }: { text: string; of: string }) => (
  <span className={styles.copyable}>
    <code>
      <bdi>
        <Marked>{text}</Marked>
      </bdi>
    </code>
    <CopyButton text={text} of={of} />
  </span>
)
