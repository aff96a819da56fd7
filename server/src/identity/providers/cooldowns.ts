import { setBounded } from '../../ground/runtime/bounded-map.ts'
import type { Clock } from '../../ground/runtime/clock.ts'

type Cooldowns = {
  isOver(name: string): boolean
  /** From the end of the last one it is twice as long; those who failed together lengthen it once. Gives nothing. */
  lengthen(name: string): undefined
  end(name: string): void
}

const firstMs = 1_000
const longestMs = 60_000
/** The one that was used longest ago is forgotten first. */
const maxCooldowns = 10_000

export function createCooldowns(clock: Clock): Cooldowns {
  const running = new Map<string, { until: number; ms: number }>()
  const isOver = (name: string) => (running.get(name)?.until ?? 0) <= clock.now()
  return {
    isOver,
    lengthen: (name) => {
      if (!isOver(name)) return undefined
      const ms = Math.min(longestMs, (running.get(name)?.ms ?? firstMs / 2) * 2)
      setBounded(running, name, { until: clock.now() + ms, ms }, maxCooldowns)
      return undefined
    },
    end: (name) => void running.delete(name),
  }
}
