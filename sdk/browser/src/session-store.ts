/** Text stored for the life of the tab, reloads and redirects included; without `sessionStorage`, for the life of the page. */
export type SessionStore = {
  get(name: string): string | undefined
  set(name: string, value: string): void
  remove(name: string): void
}

export function openSessionStore(prefix: string): SessionStore {
  /** Only what the browser refused to store, so that clearing `sessionStorage` clears the rest. */
  const memory = new Map<string, string>()
  const key = (name: string) => `${prefix}:${name}`
  return {
    get: (name) => memory.get(name) ?? attempt(() => sessionStorage.getItem(key(name))) ?? undefined,
    set: (name, value) => {
      memory.delete(name)
      attempt(
        () => sessionStorage.setItem(key(name), value),
        () => memory.set(name, value),
      )
    },
    remove: (name) => {
      memory.delete(name)
      attempt(() => sessionStorage.removeItem(key(name)))
    },
  }
}

/** With cookies blocked, reading the property `sessionStorage` throws; when it is full, `setItem` does. */
function attempt<Result>(work: () => Result, otherwise: () => unknown = () => {}): Result | undefined {
  try {
    return work()
  } catch {
    otherwise()
    return undefined
  }
}
