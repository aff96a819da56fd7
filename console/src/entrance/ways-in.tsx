import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { laterPart } from '../design/later-part.tsx'
import { continuePath, homePathOf, pageOrganization, pagesPath } from '../service/address.ts'
import { readWaysIn, type WaysIn } from '../service/session.ts'

/** Only organizations with people among their administrators need it. */
const ContinueWith = laterPart(async () => (await import('../providers/continue-with.tsx')).ContinueWith)

/** Of an organization or of the operator. Null: nothing is known of them. Undefined: not yet, or nobody is named. */
export const useWaysIn = (of: string | undefined): WaysIn | null | undefined =>
  useQuery({
    queryKey: ['readWaysIn', of],
    queryFn: () => readWaysIn(of === 'operator' ? undefined : of),
    enabled: of !== undefined,
    staleTime: 'static',
    retry: false,
  }).data

type ContinueProps = { people: People; isFresh?: boolean; returnTo: string; isInNewTab?: boolean }
type People = NonNullable<WaysIn['people']>

/** A button for each provider, which leads through it and back. */
export function Continue({ people, isFresh = false, returnTo, isInNewTab = false }: ContinueProps) {
  const [chosen, setChosen] = useState<People['credentials'][number]>()
  // Whoever comes back to the page may choose again.
  useEffect(() => {
    const onShow = () => setChosen(undefined)
    addEventListener('pageshow', onShow)
    return () => removeEventListener('pageshow', onShow)
  }, [])
  const choose = (way: People['credentials'][number]) => {
    const address = continuePath(people.organizationId, { idp: way.oauth_client_id, returnTo, isFresh })
    if (isInNewTab) return void window.open(address, '_blank', 'noopener')
    setChosen(way)
    return location.assign(address)
  }
  return <ContinueWith ways={people.credentials} onChoose={choose} chosen={chosen} />
}

/** What the service takes for another path than it looks like. */
const ambiguous = /\/\/|\\|\.\.|%2f|%5c|%2e/i

/** The page that was asked for, however its address is written; one whose address cannot be given along is Home. */
export function presentPage(): string {
  const { pathname, search, hash } = location
  const home = homePathOf(pageOrganization)
  const page = home + (pathname + search + hash).slice(pagesPath.length).replace(/^\//, '')
  return ambiguous.test(page) ? home : page
}
