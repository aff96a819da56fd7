import { useSyncExternalStore } from 'react'

/** How often it is tried again, while somebody sees the page. */
const probeMs = 3_000
const probeTimeoutMs = 5_000

let isAway = false
let checking: Promise<boolean> | undefined
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()
const returns = new Set<() => void>()

/** Whether nobody answers at the address of this page. What the browser says of its network is only a sign: Signet may run beside it. */
export const useIsAway = (): boolean => useSyncExternalStore(subscribe, () => isAway)

export const isNetworkAway = () => isAway

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Calls `act` whenever the network has come back. Gives what ends it. */
export function onNetworkBack(act: () => void) {
  returns.add(act)
  return () => void returns.delete(act)
}

/** As `fetch`. Once it has failed, it is known whether the network is away. */
export const reach: typeof fetch = async (input, init) => {
  try {
    const reply = await fetch(input, init)
    change(false)
    return reply
  } catch (cause) {
    if (!(cause instanceof Error && cause.name === 'AbortError')) await checkNetwork()
    throw cause
  }
}

/** Asks whether anybody answers, whatever the answer is. Several who ask at once share it. */
export function checkNetwork(): Promise<boolean> {
  checking ??= probe().then((answers) => {
    checking = undefined
    change(!answers)
    return answers
  })
  return checking
}

/** A small file of the console, which costs neither a use of the session nor one of a limit. */
async function probe(): Promise<boolean> {
  const { href = location.href } = document.querySelector<HTMLLinkElement>('link[rel="icon"]') ?? {}
  const signal = AbortSignal.timeout(probeTimeoutMs)
  return fetch(href, { cache: 'no-store', credentials: 'omit', redirect: 'manual', signal }).then(
    () => true,
    () => false,
  )
}

function change(next: boolean) {
  clearTimeout(timer)
  if (next) timer = setTimeout(() => (document.hidden ? change(true) : checkNetwork()), probeMs)
  if (next === isAway) return
  isAway = next
  for (const listener of listeners) listener()
  if (!next) for (const act of returns) act()
}

/** The browser tells at once what else only the next request would show. */
export function watchNetwork() {
  for (const sign of ['online', 'offline']) addEventListener(sign, () => void checkNetwork())
}
