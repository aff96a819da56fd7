import { useEffect, useState } from 'react'
import { takeToken } from './take-token.ts'

/** Read once, however often React begins the page. */
let taken = ''

/** What opens the link of the page; empty, where there is none. */
export function useLinkToken(title: string): string {
  const [token, setToken] = useState(() => (taken = takeToken() || taken))
  useEffect(() => {
    document.title = `${title} · Signet`
    // Another link, opened in the same tab, changes the fragment alone.
    const onHash = () => setToken((before) => (taken = takeToken() || before))
    addEventListener('hashchange', onHash)
    return () => removeEventListener('hashchange', onHash)
  }, [title])
  return token
}
