import { useEffect, useRef } from 'react'

/** Gives the signal of what is open now: it ends when that is closed, or its page is left. */
export function useLeft(isOpen = true): () => AbortSignal {
  const leaving = useRef(new AbortController())
  useEffect(() => {
    if (!isOpen) return undefined
    if (leaving.current.signal.aborted) leaving.current = new AbortController()
    return () => leaving.current.abort()
  }, [isOpen])
  return () => leaving.current.signal
}
