import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { signet } from '../service/signet.ts'
import { isClosedBy } from './is-closed-by.ts'
import { ClosedLink, SentCredential } from './link-end.tsx'
import { LinkForm } from './link-form.tsx'
import { LinkFrame } from './link-frame.tsx'
import { NotOpened } from './not-opened.tsx'
import { useLinkToken } from './use-link-token.ts'

/** For the administrator of a customer, who has no key: enters one credential, and sees nothing of the console. */
export function Component() {
  const token = useLinkToken('Enter a credential')
  return <Link key={token} token={token} />
}

function Link({ token }: { token: string }) {
  const [end, setEnd] = useState<'sent' | 'closed'>()
  const close = useCallback(() => setEnd('closed'), [])
  const link = useQuery({
    queryKey: ['openCredentialLink', token],
    queryFn: ({ signal }) => signet.openCredentialLink({ body: { token }, signal }),
    select: ({ result }) => result,
    enabled: token !== '',
    // Every try that fails counts, what is being typed must stay, and a link that was used does not open.
    retry: false,
    staleTime: 'static',
  })
  if (token === '' || end === 'closed' || isClosedBy(link.error)) return <ClosedLink />
  if (link.data && end === 'sent') return <SentCredential link={link.data} />
  if (link.data) return <LinkForm token={token} link={link.data} onSent={() => setEnd('sent')} onClosed={close} />
  if (link.isError) return <NotOpened error={link.error} retry={link.refetch} />
  return (
    <LinkFrame title="Opening the link…">
      <p role="status">It takes a moment.</p>
    </LinkFrame>
  )
}
