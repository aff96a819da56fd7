/** Text that lasts as long as the tab, reloads and redirects included, or only as long as the page where a browser keeps none. */
export type SessionStore = {
  get(name: string): string | undefined
  set(name: string, value: string): void
  remove(name: string): void
}

export function openSessionStore(prefix: string): SessionStore {
  const memory = new Map<string, string>()
  const key = (name: string) => `${prefix}:${name}`
  return {
    get: (name) => attempt(() => sessionStorage.getItem(key(name))) ?? memory.get(name),
    set: (name, value) => {
      memory.set(name, value)
      attempt(() => sessionStorage.setItem(key(name), value))
    },
    remove: (name) => {
      memory.delete(name)
      attempt(() => sessionStorage.removeItem(key(name)))
    },
  }
}

/** Where cookies are blocked, even to name `sessionStorage` throws. */
function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
