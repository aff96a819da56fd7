import { SignetError } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { Button } from '../design/button.tsx'
import { Failure } from '../design/state.tsx'
import { signet } from '../service/signet.ts'
import { isClosedBy } from './is-closed-by.ts'
import { ClosedLink, SentCredential } from './link-end.tsx'
import { LinkForm } from './link-form.tsx'
import { LinkFrame } from './link-frame.tsx'
import { takeToken } from './take-token.ts'

/** Read once, however often React begins the page. */
let taken = ''

/** For the administrator of a customer, who has no key: enters one credential, and sees nothing of the console. */
export function Component() {
  const [token, setToken] = useState(() => (taken = takeToken() || taken))
  useEffect(() => {
    document.title = 'Enter a credential · Signet'
    // Another link, opened in the same tab, changes the fragment alone.
    const onHash = () => setToken((before) => (taken = takeToken() || before))
    addEventListener('hashchange', onHash)
    return () => removeEventListener('hashchange', onHash)
  }, [])
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

function NotOpened({ error, retry }: { error: unknown; retry: () => unknown }) {
  if (!(error instanceof SignetError && error.status === 429))
    return (
      <LinkFrame title="The link cannot be opened right now">
        <Failure error={error} retry={retry} />
      </LinkFrame>
    )
  return (
    <LinkFrame title="Too many tries">
      <p>
        There were too many tries from this network within an hour. The link itself stays as it is: open it again later.
      </p>
      <Button icon="refresh" onClick={() => retry()}>
        Try again
      </Button>
    </LinkFrame>
  )
}
