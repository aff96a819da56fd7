/** Text that lasts as long as the tab, reloads and redirects included, or only as long as the page where a browser keeps none. */
export type SessionStore = {
  get(name: string): string | undefined
  set(name: string, value: string): void
  remove(name: string): void
}

export function openSessionStore(prefix: string): SessionStore {
  /** What the browser does not take. What it took is nowhere else, so that the application can clear it. */
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

/** Where cookies are blocked, even to name `sessionStorage` throws; where it is full, to set something does. */
function attempt<Result>(work: () => Result, otherwise: () => unknown = () => {}): Result | undefined {
  try {
    return work()
  } catch {
    otherwise()
    return undefined
  }
}
