import type { Clock } from '../clock.ts'

type Options = { clock: Clock; maxKept: number; keepMs: number }

/**
 * `lookUp` with a short memory: an answer is given again for `keepMs`, whoever asks meanwhile shares one look-up, and of
 * more than `maxKept` names the one asked for longest ago is forgotten first. A failed look-up is not remembered.
 */
export function remember<Value>(lookUp: (name: string) => Promise<Value>, { clock, maxKept, keepMs }: Options) {
  const kept = new Map<string, { value: Promise<Value>; until: number }>()

  const ask = (name: string, now: number) => {
    const asked = { value: lookUp(name), until: now + keepMs }
    asked.value.catch(() => {
      if (kept.get(name) === asked) kept.delete(name)
    })
    return asked
  }

  return (name: string): Promise<Value> => {
    const now = clock.now()
    const known = kept.get(name)
    const current = known && now < known.until ? known : ask(name, now)
    kept.delete(name)
    kept.set(name, current)
    if (kept.size > maxKept) kept.delete(kept.keys().next().value as string)
    return current.value
  }
}
