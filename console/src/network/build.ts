import { reach } from './network.ts'

const entrySource = (page: Document) => page.querySelector('script[data-build]')?.getAttribute('data-build')

/**
 * Whether the service has another console than this page is of: `same`, `another`, or `unknown` where something else than the console
 * answers. The name of its first script has the hash of all others.
 */
export async function compareBuild(): Promise<'same' | 'another' | 'unknown'> {
  const reply = await reach(location.href, { cache: 'no-store', redirect: 'manual' }).catch(() => undefined)
  if (!reply?.ok) return 'unknown'
  const now = entrySource(new DOMParser().parseFromString(await reply.text(), 'text/html'))
  if (!now) return 'unknown'
  return now === entrySource(document) ? 'same' : 'another'
}

const mark = 'isLoadedAgain'

/**
 * Loads the page again, once for each entry of the browser's history, so that two builds behind one address cannot make it go round.
 * False: it has been done.
 */
export function loadAgainOnce(): boolean {
  if (history.state?.[mark]) return false
  history.replaceState({ ...history.state, [mark]: true }, '')
  location.reload()
  return true
}
