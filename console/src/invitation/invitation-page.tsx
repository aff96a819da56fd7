import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Panel } from '../design/page.tsx'
import { Failure } from '../design/state.tsx'
import { ShortText } from '../design/text.tsx'
import { Time } from '../design/time.tsx'
import { isClosedBy } from '../link/is-closed-by.ts'
import { LinkFrame } from '../link/link-frame.tsx'
import { NotOpened } from '../link/not-opened.tsx'
import { useLinkToken } from '../link/use-link-token.ts'
import { ContinueWith, type Way } from '../providers/continue-with.tsx'
import { enter, type Invitation, openInvitation } from '../service/invitation.ts'
import { roleInWords } from '../session/roles.ts'

/** For somebody who is to become an administrator, and has no session: says whose invitation it is, and leads to the sign-in. */
export function Component() {
  const token = useLinkToken('Become an administrator')
  return <Opening key={token} token={token} />
}

function Opening({ token }: { token: string }) {
  const invitation = useQuery({
    queryKey: ['openConsoleInvitation', token],
    queryFn: ({ signal }) => openInvitation(token, signal),
    enabled: token !== '',
    // Every try that fails counts, and one that was used does not open.
    retry: false,
    staleTime: 'static',
  })
  if (token === '' || isClosedBy(invitation.error)) return <ClosedInvitation />
  if (invitation.data) return <OpenInvitation token={token} invitation={invitation.data} />
  if (invitation.isError) return <NotOpened what="invitation" error={invitation.error} retry={invitation.refetch} />
  return (
    <LinkFrame title="Opening the invitation…">
      <p role="status">It takes a moment.</p>
    </LinkFrame>
  )
}

function OpenInvitation({ token, invitation }: { token: string; invitation: Invitation }) {
  const { organization_name: name, group, roles, credentials, expires_at } = invitation
  const entering = useEntering(token)
  if (isClosedBy(entering.error)) return <ClosedInvitation />
  const heading = (
    <>
      Become an administrator of <ShortText>{name}</ShortText>
    </>
  )
  const lead = (
    <>
      Sign in once, and from then on you can {roles.map(roleInWords).join(', and ')}. You join the group{' '}
      <ShortText>{group}</ShortText>.
    </>
  )
  return (
    <LinkFrame title={`Become an administrator of ${name}`} heading={heading} lead={lead}>
      {credentials.length === 0 ? (
        <NoCredential name={name} />
      ) : (
        <Panel title="Sign in" description="With the account that is to be the administrator's.">
          {entering.isError && <Failure error={entering.error} />}
          <ContinueWith ways={credentials} onChoose={entering.mutate} chosen={entering.chosen} />
        </Panel>
      )}
      <p>
        The invitation works once, until <Time at={expires_at} />. It is spent when you have signed in.
      </p>
    </LinkFrame>
  )
}

/** The button stays busy until the browser has left the page; whoever comes back to it may choose again. */
function useEntering(token: string) {
  const [chosen, setChosen] = useState<Way>()
  const entering = useMutation({
    mutationFn: (way: Way) => enter(token, way.oauth_client_id),
    onMutate: setChosen,
    onSuccess: ({ url }) => location.assign(url),
    onError: () => setChosen(undefined),
  })
  useEffect(() => {
    const onShow = () => setChosen(undefined)
    addEventListener('pageshow', onShow)
    return () => removeEventListener('pageshow', onShow)
  }, [])
  return { ...entering, chosen }
}

const NoCredential = ({ name }: { name: string }) => (
  <Panel title="There is nothing to sign in with yet">
    <p>
      <ShortText>{name}</ShortText> has no identity provider, so that nobody can sign in. Ask whoever invited you to set
      one up, and open the invitation again: it stays as it is.
    </p>
  </Panel>
)

/** One page for an invitation that is unknown, was used, has expired or was deleted: they are not told apart. */
const ClosedInvitation = () => (
  <LinkFrame title="This invitation does not work">
    <p>
      It was used already, it has expired, or a part of its address is missing. Make sure that you opened all of it.
    </p>
    <p>
      If you have signed in with it, you are an administrator: open the console. Otherwise ask whoever invited you for
      another one. An invitation works once.
    </p>
  </LinkFrame>
)
