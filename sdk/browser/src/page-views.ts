import { withoutAnswer } from './answer-in.ts'

/** In characters; Signet takes no more. */
const maxLocation = 2_048

type PageViews = {
  url: string
  organizationId: string
  correlationId(): string
  /** One that has not expired. */
  idToken(): string | undefined
  /** Signet no longer takes that token. */
  onRefused(idToken: string): void
}

/** Tells of a page; what goes wrong on the way is no matter of the page's. */
export async function sendPageView(pageViews: PageViews, windowLocation: string): Promise<void> {
  try {
    const idToken = pageViews.idToken()
    const { status } = await send(pageViews, windowLocation, idToken)
    if (status !== 401 || !idToken) return
    pageViews.onRefused(idToken)
    await send(pageViews, windowLocation)
  } catch {}
}

/** With `keepalive`: it arrives also when the tab is closed in the next moment. */
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

/** Calls `onChange` whenever the address has become another one, however it did. Gives how to end that. */
export function watchAddress(onChange: () => void): () => void {
  let last = withoutAnswer(location.href)
  let isOver = false
  const look = () => {
    const now = withoutAnswer(location.href)
    if (isOver || now === last) return
    last = now
    onChange()
  }
  // No event tells of these two in all browsers. They stay wrapped: others may have wrapped them since.
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
