import { useEffect, useState } from 'react'
import { Badge } from '../design/badge.tsx'
import { duration } from '../design/time.tsx'

const stepMs = 1_000

/** Counts down to a moment, and says when it is over. Screen readers are not told each second. */
export function TimeLeft({ untilMs }: { untilMs: number }) {
  const [now, setNow] = useState(Date.now)
  const leftMs = untilMs - now
  const isOver = leftMs <= 0
  useEffect(() => {
    if (isOver) return undefined
    const timer = setInterval(() => setNow(Date.now()), stepMs)
    return () => clearInterval(timer)
  }, [isOver])
  return (
    <span role="timer">
      <Badge tone={isOver ? 'bad' : 'accent'}>{isOver ? 'expired' : `${duration(leftMs)} left`}</Badge>
    </span>
  )
}
