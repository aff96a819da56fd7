import { createState } from '../state/state.ts'

/** How often it is tried again, while somebody sees the page. */
const probeMs = 3_000
const probeTimeoutMs = 5_000

const isAway = createState(false)
/** How often the network has gone or come back. */
let changes = 0
let checking: Promise<boolean> | undefined
let timer: ReturnType<typeof setTimeout> | undefined
const returns = new Set<() => void>()

/** Whether nobody answers at the address of this page. What the browser says of its network is only a sign: Signet may run beside it. */
export const useIsAway = isAway.use

export const isNetworkAway = isAway.get

/** Calls `act` whenever the network has come back. Gives what ends it. */
export function onNetworkBack(act: () => void) {
  returns.add(act)
  return () => void returns.delete(act)
}

/** As `fetch`. Once it has failed, it is known whether the network is away. A reply to what was sent before says nothing of it. */
export const reach: typeof fetch = async (input, init) => {
  const sentIn = changes
  try {
    const reply = await fetch(input, init)
    if (sentIn === changes) change(false)
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
  // The browser may say it before the network is gone.
  const isDoubtful = next || navigator.onLine === false
  if (isDoubtful) timer = setTimeout(() => (document.hidden ? change(isAway.get()) : checkNetwork()), probeMs)
  if (next === isAway.get()) return
  changes++
  isAway.set(next)
  if (!next) for (const act of returns) act()
}

/** The browser tells at once what else only the next request would show. */
export function watchNetwork() {
  for (const sign of ['online', 'offline']) addEventListener(sign, () => void checkNetwork())
}
