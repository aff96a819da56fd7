import { useSyncExternalStore } from 'react'

export type State<Value> = {
  get(): Value
  set(next: Value): void
  /** As a hook: what is drawn with it is drawn anew once another value is set. */
  use(): Value
}

/** A value that the page has once, and that is set outside of React too. */
export function createState<Value>(first: Value): State<Value> {
  let value = first
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const get = () => value
  const set = (next: Value) => {
    value = next
    for (const listener of listeners) listener()
  }
  return { get, set, use: () => useSyncExternalStore(subscribe, get) }
}
