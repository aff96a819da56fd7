import { QueryClientProvider } from '@tanstack/react-query'
import { homePathOf } from '../service/address.ts'
import { queries } from '../service/queries.ts'
import { BrowserSessions } from './browser-sessions.tsx'
import { useWaysIn } from './ways-in.tsx'

/** Where anybody signs in, besides the form. */
export const OtherWays = ({ organizationId }: { organizationId: string }) => (
  <QueryClientProvider client={queries}>
    <WithoutKey organizationId={organizationId} />
    <BrowserSessions title="Signed in in this browser" />
  </QueryClientProvider>
)

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** To the page of the organization that is typed, where its people have another way in. */
function WithoutKey({ organizationId }: { organizationId: string }) {
  const ways = useWaysIn(uuid.test(organizationId) ? organizationId.toLowerCase() : undefined)
  if (!ways?.people) return null
  return <a href={homePathOf(organizationId)}>Continue without a key</a>
}
