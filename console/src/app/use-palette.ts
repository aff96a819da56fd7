import { useEffect, useRef, useState } from 'react'

export type Palette = ReturnType<typeof usePalette>

/**
 * From Ctrl K on, what is typed is meant for the palette. Its script may have yet to come, and its field gets the focus a moment after
 * it is drawn: until then the keys are kept here, Enter with them.
 */
export function usePalette() {
  const [isOpen, setOpen] = useState<boolean>()
  const [typed, setTyped] = useState('')
  const [isEntered, setEntered] = useState(false)
  const isWaiting = useRef(false)
  const show = (open: boolean) => {
    isWaiting.current = open
    setOpen(open)
    setTyped('')
    setEntered(false)
  }
  const close = () => show(false)
  const type = (text: string) => {
    setTyped(text)
    setEntered(false)
  }
  useEffect(() => {
    const keep = (event: KeyboardEvent) => {
      if (!isWaiting.current || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === 'Enter') setEntered(true)
      else if (event.key === 'Escape') close()
      else if (event.key === 'Backspace') setTyped((text) => text.slice(0, -1))
      else if ([...event.key].length === 1) setTyped((text) => text + event.key)
      else return
      event.preventDefault()
      event.stopImmediatePropagation()
    }
    addEventListener('keydown', keep, true)
    return () => removeEventListener('keydown', keep, true)
  })
  return {
    /** Undefined: it was not opened yet. */
    isOpen,
    typed,
    type,
    /** Enter was pressed before there was anything to choose from. */
    isEntered,
    enter: () => setEntered(true),
    open: () => isOpen || show(true),
    close,
    /** Its field has the focus. */
    takeOver: () => {
      isWaiting.current = false
    },
  }
}
