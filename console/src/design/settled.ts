import { useEffect, useState } from 'react'

const pauseMs = 250

/** What is typed, once typing pauses: a search need not be made for every letter. */
export function useSettled(typed: string): string {
  const [settled, setSettled] = useState(typed)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), pauseMs)
    return () => clearTimeout(timer)
  }, [typed])
  return settled
}
