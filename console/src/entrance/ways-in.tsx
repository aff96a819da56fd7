import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useState } from 'react'
import { continuePath, homePathOf } from '../service/address.ts'
import { readWaysIn, type WaysIn } from '../service/session.ts'

/** Only organizations with people among their administrators need it. */
const ContinueWith = lazy(async () => ({ default: (await import('../providers/continue-with.tsx')).ContinueWith }))

/** Null: nothing is known of them. Undefined: not yet. */
export const useWaysIn = (organizationId: string | undefined): WaysIn | null | undefined =>
  useQuery({
    queryKey: ['readWaysIn', organizationId],
    queryFn: () => (organizationId ? readWaysIn(organizationId) : null),
    staleTime: 'static',
    retry: false,
  }).data

/** Those of its providers by which somebody may enter. */
export const credentialsOf = (ways: WaysIn | null | undefined) => (ways?.has_console_access ? ways.credentials : [])

type ContinueProps = { ways: WaysIn; isFresh?: boolean; returnTo: string; isInNewTab?: boolean }

/** A button for each provider, which leads through it and back. */
export function Continue({ ways, isFresh = false, returnTo, isInNewTab = false }: ContinueProps) {
  const [chosen, setChosen] = useState<WaysIn['credentials'][number]>()
  // Whoever comes back to the page may choose again.
  useEffect(() => {
    const onShow = () => setChosen(undefined)
    addEventListener('pageshow', onShow)
    return () => removeEventListener('pageshow', onShow)
  }, [])
  const choose = (way: WaysIn['credentials'][number]) => {
    const address = continuePath(ways.organization.id, { idp: way.oauth_client_id, returnTo, isFresh })
    if (isInNewTab) return void window.open(address, '_blank', 'noopener')
    setChosen(way)
    return location.assign(address)
  }
  return (
    <Suspense>
      <ContinueWith ways={credentialsOf(ways)} onChoose={choose} chosen={chosen} />
    </Suspense>
  )
}

/** What the service takes for another path than it looks like. */
const ambiguous = /\/\/|\\|\.\.|%2f|%5c|%2e/i

/** The page that was asked for; one whose address cannot be given along is Home. */
export function presentPage(organizationId: string): string {
  const { pathname, search, hash } = location
  return ambiguous.test(pathname + search + hash) ? homePathOf(organizationId) : pathname + search + hash
}
