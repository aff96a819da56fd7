import { withoutAnswer } from './answer-in.ts'

/** Characters that Signet accepts. */
const maxLocation = 2_048

type PageViews = {
  url: string
  organizationId: string
  correlationId(): string
  /** Returns an unexpired token. */
  idToken(): string | undefined
  /** Called when Signet no longer accepts the token. */
  onRefused(idToken: string): void
}

/** Sends the event of a page view. Errors are ignored: they must not affect the page. */
export async function sendPageView(pageViews: PageViews, windowLocation: string): Promise<void> {
  try {
    const idToken = pageViews.idToken()
    const { status } = await send(pageViews, windowLocation, idToken)
    if (status !== 401 || !idToken) return
    pageViews.onRefused(idToken)
    await send(pageViews, windowLocation)
  } catch {}
}

/** `keepalive` completes the request even when the tab is closed. */
function send({ url, organizationId, correlationId }: PageViews, windowLocation: string, idToken?: string) {
  return fetch(url, {
    method: 'POST',
    keepalive: true,
    credentials: 'omit',
    headers: {
      'content-type': 'application/json',
      'service-orgid': organizationId,
      ...(idToken && { authorization: `Bearer ${idToken}` }),
    },
    body: JSON.stringify({
      event_name: 'VirtualPageLoaded_v1',
      analytics_correlation_id: correlationId(),
      window_location: withoutAnswer(windowLocation).slice(0, maxLocation),
    }),
  })
}

/** Calls `onChange` after every change of the address. Returns a function that stops it. */
export function watchAddress(onChange: () => void): () => void {
  let last = withoutAnswer(location.href)
  let isOver = false
  const look = () => {
    const now = withoutAnswer(location.href)
    if (isOver || now === last) return
    last = now
    onChange()
  }
  // Not all browsers have an event for these two. They stay wrapped, because others may have wrapped them later.
  for (const name of ['pushState', 'replaceState'] as const) {
    const change = history[name]
    history[name] = function (...state) {
      change.apply(this, state)
      look()
    }
  }
  for (const name of ['popstate', 'hashchange']) addEventListener(name, look)
  return () => {
    isOver = true
  }
}
